# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# release:   OpenLineage 1.53.0
"""What the packed schemas must be, once decoded."""

from typing import NamedTuple


class Pin(NamedTuple):
    """One pinned schema: its file's name, its `$id`, its size in bytes, its SHA-256 in lower-case hexadecimal."""

    name: str
    id: str
    size: int
    sha256: str


RELEASE = "1.53.0"
"""The OpenLineage release."""

CORE_VERSION = "2-0-2"
"""The version of the core schema in it, which counts for itself."""

PINS = (
    Pin(
        "OpenLineage.json",
        "https://openlineage.io/spec/2-0-2/OpenLineage.json",
        9155,
        "69f68bee00b9beac88a87059c0102410e7bb05f3f43c46d02a0409831eceb0d2",
    ),
    Pin(
        "DatasetTypeDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json",
        1008,
        "1a7d5106877151d52c4d3967f77b92788ea42ebf9843c6573d776a63c9a7d157",
    ),
    Pin(
        "DocumentationDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json",
        1031,
        "bad5c041d679e73b2faea43506860428f48d80710ad1354a2d2393475143285f",
    ),
    Pin(
        "DocumentationJobFacet.json",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json",
        944,
        "b5823685c20c712d9ee1e3b310ad6ca426be7b46db60acd9f23248811af3c8d4",
    ),
    Pin(
        "ErrorMessageRunFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json",
        1501,
        "b11b4ee8b0f99f6846264f87cad48390255c7ef142ce623216660c7097be0ea6",
    ),
    Pin(
        "JobTypeJobFacet.json",
        "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json",
        3072,
        "11c12cab95a411ca31066c80d2bb4aefd37bbcadbda5e4d343d2069853b907d5",
    ),
    Pin(
        "OwnershipDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json",
        1368,
        "9a18a508746627eff18fa84ca1694e1a9f2d556ac0052dbdb6970d8a35f75231",
    ),
    Pin(
        "OwnershipJobFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json",
        1344,
        "c54ae771b1183efbe007a778eb5bf05e9e3f39f3d48f22a4beceea00950abdad",
    ),
    Pin(
        "SchemaDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
        1687,
        "50236a779aa64baa0bad0055391838bd22fcb36ce667c41d60ada80915e899b6",
    ),
)
"""The core schema first, then the facets by name."""

OWN = (
    Pin(
        "ColumnLineageDatasetFacet.json",
        "https://github.com/conduktor/streamt/schemas/own/ColumnLineageDatasetFacet.json",
        3426,
        "62a32f1d6e30a40fbee717e7493bc93b03b521bb511c4fc3f646deee61a718fe",
    ),
    Pin(
        "NominalTimeRunFacet.json",
        "https://github.com/conduktor/streamt/schemas/own/NominalTimeRunFacet.json",
        1306,
        "bc08048f790d47cb531f9a5bde80eafaf03964d247f92df52b604efd4853ff7a",
    ),
    Pin(
        "ParentRunFacet.json",
        "https://github.com/conduktor/streamt/schemas/own/ParentRunFacet.json",
        2033,
        "4e528a8f23978dc2392eaf187e6cc28b424cbfed86eb19342c3055c08304a26e",
    ),
    Pin(
        "ProcessingEngineRunFacet.json",
        "https://github.com/conduktor/streamt/schemas/own/ProcessingEngineRunFacet.json",
        1370,
        "617004a46344f508663d7a63b39606022eaeb5b32650e93a2d186d593579f04a",
    ),
    Pin(
        "SQLJobFacet.json",
        "https://github.com/conduktor/streamt/schemas/own/SQLJobFacet.json",
        1108,
        "2fd8625cf08db4a5fc74d52a26c3362d61aa6ef79322686f8dc143edef5b63f6",
    ),
)
"""Our own schemas of facets that are not pinned, by name."""
