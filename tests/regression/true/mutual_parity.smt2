; Two relations in a body.
; Q has no formula of its own in the model: the report defines it by its clauses, with the variables of each bound.
(set-logic HORN)
(declare-fun P (Int) Bool)(declare-fun Q (Int) Bool)
(assert (P 1))(assert (Q 2))
(assert (forall ((x Int)(y Int)) (=> (and (P x) (Q y)) (P (+ x y)))))
(assert (forall ((x Int)(y Int)) (=> (and (P x) (P y)) (Q (+ x y)))))
(assert (forall ((x Int)) (=> (and (Q x) (= (mod x 2) 1)) false)))
(check-sat)
