"""What a caller may see and edit."""

from streamt.catalog.access import Caller, Permission, Role, new_token, strongest, token_hash
from streamt.catalog.values import ALL, Scope

VIEWER, EDITOR = Permission.VIEWER, Permission.EDITOR
MEMBER = Caller(1, "ann", Role.MEMBER, {10: VIEWER, 20: EDITOR})
ADMIN = Caller(2, "root", Role.ADMIN)


def test_an_admin_may_edit_everything_the_future_included() -> None:
    assert ADMIN.editable == ALL


def test_a_member_may_edit_where_they_are_editors() -> None:
    assert MEMBER.editable == Scope.of(20)
    assert MEMBER.viewable == Scope.of(10, 20)


def test_an_edge_is_seen_with_viewer_on_one_of_its_containers() -> None:
    assert MEMBER.sees_edge([10, 30])
    assert not MEMBER.sees_edge([30, None])


def test_details_are_seen_with_viewer_on_every_container() -> None:
    assert not MEMBER.sees_details([10, 30])
    assert MEMBER.sees_details([10, 20])
    assert MEMBER.sees_details([10, None])
    assert ADMIN.sees_details([30, 40])


def test_the_strongest_permission_of_several_teams_counts() -> None:
    assert strongest([(1, EDITOR), (1, VIEWER), (2, VIEWER)]) == {1: EDITOR, 2: VIEWER}


def test_a_token_is_long_random_and_not_its_hash() -> None:
    one, other = new_token(), new_token()
    assert one != other
    assert len(one) > 40
    assert token_hash(one) != token_hash(other)
