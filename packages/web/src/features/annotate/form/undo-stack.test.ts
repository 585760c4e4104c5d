import { expect, test } from 'vitest'
import { openUndoStack } from './undo-stack.ts'

function counter() {
  const stack = openUndoStack()
  let value = 0
  const add = (by: number) => {
    value += by
    stack.push({
      undo: () => {
        value -= by
      },
      redo: () => {
        value += by
      },
    })
  }
  return { stack, add, value: () => value }
}

test('the last step is taken back first, and done again in order', () => {
  const { stack, add, value } = counter()
  add(1)
  add(10)
  expect([stack.undo(), value()]).toEqual([true, 1])
  expect([stack.undo(), value()]).toEqual([true, 0])
  expect(stack.undo()).toBe(false)
  expect([stack.redo(), value()]).toEqual([true, 1])
  expect([stack.redo(), value()]).toEqual([true, 11])
  expect(stack.redo()).toBe(false)
})

test('a new step forgets what was taken back', () => {
  const { stack, add, value } = counter()
  add(1)
  stack.undo()
  add(10)
  expect([stack.canRedo.value, stack.redo(), value()]).toEqual([false, false, 10])
})

test('two hundred steps are kept', () => {
  const { stack, add, value } = counter()
  for (let i = 0; i < 250; i++) add(1)
  let steps = 0
  while (stack.undo()) steps++
  expect([steps, value()]).toEqual([200, 50])
})
