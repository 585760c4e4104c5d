/** `completion`: prints a shell script that completes the commands and options of `postil`. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type CommandTree, describeCommands } from '@postil/terminal/command-tree'
import { addExamples } from '@postil/terminal/help'
import { Argument, type Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The script contains the commands of the installed release, so users must generate it again after an upgrade. */
export function addCompletion(program: Command, server: URL | null): void {
  const command = program.command('completion').description('Print a script that completes commands in your shell')
  addExamples(command, ['completion bash > ~/.local/share/bash-completion/completions/postil', 'completion fish | source'])
  command.addArgument(new Argument('<shell>').choices(SHELLS)).action(async (shell: Shell) => {
    const tree = describeCommands(program)
    const others = server === null ? [] : (await readServerTree(server)).commands
    const names = new Set(others.map(({ name }) => name))
    const commands = [...tree.commands.filter(({ name }) => !names.has(name)), ...others]
    process.stdout.write(WRITERS[shell](listPoints({ ...tree, commands }, '')))
  })
}

/** The server has its own program, which prints its commands as JSON. */
async function readServerTree(server: URL): Promise<CommandTree> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(server), 'server', 'describe-commands'])
  return JSON.parse(stdout) as CommandTree
}

/** A command path, such as ` server database`, and the words that can follow it. */
interface CompletionPoint {
  path: string
  commands: string[]
  options: string[]
}

function listPoints(tree: CommandTree, path: string): CompletionPoint[] {
  const own = {
    path,
    commands: tree.commands.map(({ name }) => name),
    options: [...tree.options.map(({ long }) => long), '--help'],
  }
  return [own, ...tree.commands.flatMap(child => listPoints(child, `${path} ${child.name}`))]
}

const bash = (places: readonly CompletionPoint[]) => `# Completes the commands of postil in bash.
_postil() {
  local path="" words="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$path $word" in
      ${places
        .slice(1)
        .map(({ path }) => `"${path}"`)
        .join(' | ')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${places.map(({ path, commands, options }) => `    "${path}") words="${[...commands, ...options].join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _postil postil
`

const WRITERS: Record<Shell, (places: readonly CompletionPoint[]) => string> = {
  bash,
  zsh: places => `autoload -U +X bashcompinit && bashcompinit\n${bash(places)}`,
  fish: places =>
    `${['# Completes the commands of postil in fish.', 'complete -c postil -f', ...places.flatMap(toFish)].join('\n')}\n`,
}

/** The fish condition matches if all commands of the path were given and none of its subcommands. */
function toFish({ path, commands, options }: CompletionPoint): string[] {
  const given = path.split(' ').filter(Boolean)
  const all = given.map(name => `__fish_seen_subcommand_from ${name}`)
  const none = commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.join(' ')}`]
  const condition = [...all, ...none].join('; and ')
  const when = condition === '' ? '' : ` -n '${condition}'`
  return [
    ...(commands.length === 0 ? [] : [`complete -c postil${when} -a '${commands.join(' ')}'`]),
    ...options.map(long => `complete -c postil${when} -l ${long.replace(/^--/, '')}`),
  ]
}
