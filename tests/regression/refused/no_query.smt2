; expected: rules but no query
(declare-rel P (Int))
(declare-var x Int)
(rule (P 0))
(rule (=> (P x) (P (+ x 1))))
