"""Points-to classes: contents by keys, and where keys are not trusted."""

from __future__ import annotations

from obligato.analysis.points_to import PointsTo


def test_contents_are_kept_apart_by_keys() -> None:
    points: PointsTo[str] = PointsTo()
    table, text, number = points.new(), points.new(), points.new()
    contents = points.pointee(table)
    points.unify(points.part(contents, "char"), text)
    points.unify(points.part(contents, "int"), number)
    assert points.find(text) != points.find(number)
    assert (
        points.targets(table) == points.inside(contents) == [points.find(c) for c in (text, number)]
    )
    assert not points.is_mixed(text) and not points.is_mixed(number)


def test_what_is_collapsed_is_one_class_and_mixed() -> None:
    points: PointsTo[str] = PointsTo()
    table, text, number = points.new(), points.new(), points.new()
    points.unify(points.part(points.pointee(table), "char"), text)
    points.unify(points.part(points.pointee(table), "int"), number)
    assert points.collapse(points.pointee(table)) and not points.collapse(points.pointee(table))
    assert points.find(text) == points.find(number) and points.is_mixed(text)


def test_records_that_are_copied_keep_their_keys() -> None:
    points: PointsTo[str] = PointsTo()
    a, b, text, number = (points.new() for _ in range(4))
    points.unify(points.part(points.pointee(a), "char"), text)
    points.unify(points.part(points.pointee(b), "int"), number)
    points.unify(points.pointee(a), points.pointee(b))
    assert points.find(points.part(points.pointee(b), "char")) == points.find(text)
    assert points.find(text) != points.find(number) and not points.is_mixed(number)


def test_contents_that_are_the_target_of_one_pointer_are_mixed() -> None:
    points: PointsTo[str] = PointsTo()
    record, text, other = points.new(), points.new(), points.new()
    points.unify(points.part(points.pointee(record), "char"), text)
    points.unify(points.pointee(record), other)
    assert points.find(text) == points.find(other) and points.is_mixed(other)
    later = points.new()
    points.unify(later, other)
    assert points.is_mixed(later)
