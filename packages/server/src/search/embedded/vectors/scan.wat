;; Dot products of one query with many rows of 16-bit integers. Compiled by compile.ts to scan.wasm, which is committed.
;;
;; Rows have a length of `bytes`, a multiple of 64, and are padded with zeros. Four rows are read together, so that each part
;; of the query is loaded once for all four, and four independent sums hide the latency of memory and additions.
;; Sums do not overflow: query and rows have a length of about 32767, so no partial sum of their product reaches 2^31.
(module
  (memory (export "memory") 1)

  ;; Scores `groups` times four consecutive rows.
  (func (export "scan")
    (param $query i32) (param $row i32) (param $bytes i32) (param $groups i32) (param $scores i32)
    (local $end i32) (local $at i32) (local $b i32) (local $c i32) (local $d i32) (local $q v128)
    (local $sum_a v128) (local $sum_b v128) (local $sum_c v128) (local $sum_d v128)
    (local.set $end (i32.add (local.get $query) (local.get $bytes)))
    (block $done
      (loop $next_group
        (br_if $done (i32.eqz (local.get $groups)))
        (local.set $b (i32.add (local.get $row) (local.get $bytes)))
        (local.set $c (i32.add (local.get $b) (local.get $bytes)))
        (local.set $d (i32.add (local.get $c) (local.get $bytes)))
        (local.set $sum_a (v128.const i32x4 0 0 0 0))
        (local.set $sum_b (v128.const i32x4 0 0 0 0))
        (local.set $sum_c (v128.const i32x4 0 0 0 0))
        (local.set $sum_d (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (loop $next_piece
          (local.set $q (v128.load (local.get $at)))
          (local.set $sum_a (i32x4.add (local.get $sum_a) (i32x4.dot_i16x8_s (local.get $q) (v128.load (local.get $row)))))
          (local.set $sum_b (i32x4.add (local.get $sum_b) (i32x4.dot_i16x8_s (local.get $q) (v128.load (local.get $b)))))
          (local.set $sum_c (i32x4.add (local.get $sum_c) (i32x4.dot_i16x8_s (local.get $q) (v128.load (local.get $c)))))
          (local.set $sum_d (i32x4.add (local.get $sum_d) (i32x4.dot_i16x8_s (local.get $q) (v128.load (local.get $d)))))
          (local.set $q (v128.load offset=16 (local.get $at)))
          (local.set $sum_a (i32x4.add (local.get $sum_a) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=16 (local.get $row)))))
          (local.set $sum_b (i32x4.add (local.get $sum_b) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=16 (local.get $b)))))
          (local.set $sum_c (i32x4.add (local.get $sum_c) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=16 (local.get $c)))))
          (local.set $sum_d (i32x4.add (local.get $sum_d) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=16 (local.get $d)))))
          (local.set $q (v128.load offset=32 (local.get $at)))
          (local.set $sum_a (i32x4.add (local.get $sum_a) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=32 (local.get $row)))))
          (local.set $sum_b (i32x4.add (local.get $sum_b) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=32 (local.get $b)))))
          (local.set $sum_c (i32x4.add (local.get $sum_c) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=32 (local.get $c)))))
          (local.set $sum_d (i32x4.add (local.get $sum_d) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=32 (local.get $d)))))
          (local.set $q (v128.load offset=48 (local.get $at)))
          (local.set $sum_a (i32x4.add (local.get $sum_a) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=48 (local.get $row)))))
          (local.set $sum_b (i32x4.add (local.get $sum_b) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=48 (local.get $b)))))
          (local.set $sum_c (i32x4.add (local.get $sum_c) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=48 (local.get $c)))))
          (local.set $sum_d (i32x4.add (local.get $sum_d) (i32x4.dot_i16x8_s (local.get $q) (v128.load offset=48 (local.get $d)))))
          (local.set $row (i32.add (local.get $row) (i32.const 64)))
          (local.set $b (i32.add (local.get $b) (i32.const 64)))
          (local.set $c (i32.add (local.get $c) (i32.const 64)))
          (local.set $d (i32.add (local.get $d) (i32.const 64)))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $next_piece (i32.lt_u (local.get $at) (local.get $end))))
        (v128.store (local.get $scores)
          (call $across (local.get $sum_a) (local.get $sum_b) (local.get $sum_c) (local.get $sum_d)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 16)))
        ;; Each pointer is now at the row after its own, so the fourth is at the next group.
        (local.set $row (local.get $d))
        (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
        (br $next_group))))

  ;; Scores one row.
  (func (export "score") (param $query i32) (param $row i32) (param $bytes i32) (result i32)
    (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $query) (local.get $bytes)))
    (loop $next_piece
      (local.set $a (i32x4.add (local.get $a)
        (i32x4.dot_i16x8_s (v128.load (local.get $query)) (v128.load (local.get $row)))))
      (local.set $b (i32x4.add (local.get $b)
        (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $query)) (v128.load offset=16 (local.get $row)))))
      (local.set $c (i32x4.add (local.get $c)
        (i32x4.dot_i16x8_s (v128.load offset=32 (local.get $query)) (v128.load offset=32 (local.get $row)))))
      (local.set $d (i32x4.add (local.get $d)
        (i32x4.dot_i16x8_s (v128.load offset=48 (local.get $query)) (v128.load offset=48 (local.get $row)))))
      (local.set $row (i32.add (local.get $row) (i32.const 64)))
      (local.set $query (i32.add (local.get $query) (i32.const 64)))
      (br_if $next_piece (i32.lt_u (local.get $query) (local.get $end))))
    (local.set $a (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (i32x4.add (local.get $c) (local.get $d))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
      (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))

  ;; Converts the 64-bit floats from `from` to `end` (including padding) to an integer vector of length 32767 at `to`.
  ;; Returns 0 and writes nothing if the sum of their squares is 0 or outside the range in which 64-bit floats are precise.
  (func (export "normalise") (param $from i32) (param $end i32) (param $to i32) (result i32)
    (local $at i32) (local $x v128) (local $y v128) (local $sum_x v128) (local $sum_y v128)
    (local $squares f64) (local $scale v128)
    (local.set $at (local.get $from))
    (loop $next_piece
      (local.set $x (v128.load (local.get $at)))
      (local.set $y (v128.load offset=16 (local.get $at)))
      (local.set $sum_x (f64x2.add (local.get $sum_x) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $sum_y (f64x2.add (local.get $sum_y) (f64x2.mul (local.get $y) (local.get $y))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $next_piece (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $sum_x (f64x2.add (local.get $sum_x) (local.get $sum_y)))
    (local.set $squares (f64.add (f64x2.extract_lane 0 (local.get $sum_x)) (f64x2.extract_lane 1 (local.get $sum_x))))
    ;; The condition is negated, so that NaN fails too.
    (if (i32.eqz (i32.and
          (f64.ge (local.get $squares) (f64.const 1e-200)) (f64.le (local.get $squares) (f64.const 1e200))))
      (then (return (i32.const 0))))
    (local.set $scale (f64x2.splat (f64.div (f64.const 32767) (f64.sqrt (local.get $squares)))))
    (local.set $at (local.get $from))
    (loop $next_piece
      (v128.store (local.get $to) (i16x8.narrow_i32x4_s
        (call $to_integers (v128.load (local.get $at)) (v128.load offset=16 (local.get $at)) (local.get $scale))
        (call $to_integers (v128.load offset=32 (local.get $at)) (v128.load offset=48 (local.get $at)) (local.get $scale))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next_piece (i32.lt_u (local.get $at) (local.get $end))))
    (i32.const 1))

  (func $to_integers (param $x v128) (param $y v128) (param $scale v128) (result v128)
    (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
      (i32x4.trunc_sat_f64x2_s_zero (f64x2.nearest (f64x2.mul (local.get $x) (local.get $scale))))
      (i32x4.trunc_sat_f64x2_s_zero (f64x2.nearest (f64x2.mul (local.get $y) (local.get $scale))))))

  ;; Returns the sums over the lanes of four vectors as one vector.
  (func $across (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $ab v128) (local $cd v128)
    (local.set $ab (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $cd (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd))))
)
