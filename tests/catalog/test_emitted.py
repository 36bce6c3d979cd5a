"""What the emitter tells arrives in a running catalog, and can be followed there: a script, and a whole dbt project."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.catalog.desk import Desk
from tests.catalog.server import Client, serving, token_for
from tests.cli.program import Ended, streamt
from tests.emitter.dbt.capture import CAPTURED

MANIFEST = CAPTURED / "postgres-1.11.manifest.json"
HOST = "postgres:host=warehouse,port=5432"


@dataclass
class Site:
    """A catalog that is served, and a token for it."""

    desk: Desk
    url: str
    token: str

    def tell(self, *arguments: str | Path) -> Ended:
        """Run a command of the emitter, which tells this catalog."""
        endpoint = f"{self.url}/api/v1/lineage"
        return streamt(
            *arguments,
            STREAMT_LINEAGE_URL=endpoint,
            STREAMT_LINEAGE_API_KEY=self.token,
            STREAMT_LINEAGE_NAMESPACE="nights",
        )


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    with serving(desk.catalog) as url:
        yield Site(desk, url, token_for(desk.catalog, desk.admin))


def test_a_script_is_an_edge_with_its_evidence(site: Site) -> None:
    table = f"{HOST},database=analytics,schema=public,table="
    done = site.tell("run", "--job", "nightly", "--input", f"{table}a", "--output", f"{table}b", "--", "true")
    assert (done.status, done.stderr) == (0, "")
    (evidence,) = site.desk.edge("a>b")["evidence"]
    assert evidence["job"]["name"] == "nightly"


def test_a_dbt_project_can_be_followed_from_its_sources_to_its_last_table(site: Site) -> None:
    synced = streamt(
        "catalog", "sync", "dbt", MANIFEST, "--host", "warehouse", "--port", "5432", "--url", site.url,
        STREAMT_CATALOG_TOKEN=site.token,
    )  # fmt: skip
    assert synced.status == 0, synced.stderr
    done = site.tell("dbt", "emit", "--manifest", MANIFEST, "--connection", HOST)
    assert (done.status, done.stderr) == (0, "")
    told = [json.loads(line) for line in Client(site.url, site.token).call("GET", "/api/v1/export").body.splitlines()]
    made_of = {
        event["outputs"][0]["name"]: {each["name"] for each in event["inputs"]} for event in told if "job" in event
    }
    assert made_of["shop.public.daily"] == {'shop.public."Revenue.by.customer"'}
    assert made_of['shop.public."Revenue.by.customer"'] == {"shop.public.stg_orders", "shop.public.raw_customers"}
    assert made_of["shop.public.stg_orders"] == {"shop.public.raw_orders"}
