"""Applying plans to a real, small provider."""

from tests.deploy.shop import World, address, artifact


def test_first(world: World) -> None:
    report = world.apply(artifact("a"), artifact("b", {"size": 2, "config": {"x": "1"}}))
    assert report.status == "committed"
    assert world.files.contents == {"a": {"size": 1}, "b": {"size": 2, "config": {"x": "1"}}}
    assert world.serial == 1
    again = world.apply(artifact("a"), artifact("b", {"size": 2, "config": {"x": "1"}}))
    assert (again.status, again.actions, world.serial) == ("committed", (), 1)
    assert address("a") in world.store.read().resources
