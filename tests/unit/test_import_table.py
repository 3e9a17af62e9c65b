"""Import of treated-cluster tables: what is read, and every gate with its count and its cure."""

# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from csrag.build.materialize import materialize
from csrag.build.sources import table_read
from csrag.build.sources.table import TableOptions, read_table
from csrag.build.sources.table_columns import ALL_NAMES, land_use_code, read_treatment_ids
from csrag.errors import CsragError, InvalidValueError, TableRefusedError
from csrag.surfaces.catalog import FRREDSS_TREATMENT_IDS, LAND_USES, TREATMENTS
from csrag.surfaces.stores.columnar import ColumnarStore

SMALL = Path(__file__).resolve().parents[1] / "data" / "treated_clusters_small.csv"
FRREDSS = TableOptions(treatment_ids="frredss")
Rows = list[dict[str, Any]]


def rows_of(path: Path = SMALL) -> Rows:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def write(path: Path, rows: Rows) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as stream:
        out = csv.DictWriter(stream, names, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    return path


def changed(tmp_path: Path, change: Callable[[int, dict[str, Any]], None]) -> Path:
    rows = rows_of()
    for i, row in enumerate(rows):
        change(i, row)
    return write(tmp_path / "table.csv", rows)


def imported(path: Path, out: Path, options: TableOptions = FRREDSS) -> ColumnarStore:
    with read_table(path, options) as source:
        materialize(source, out, workers=1, mapping=options.mapping)
    return ColumnarStore(out)


def refused(path: Path, options: TableOptions = FRREDSS) -> CsragError:
    with pytest.raises((TableRefusedError, InvalidValueError)) as caught, read_table(path, options):
        pass
    assert caught.value.fix
    return caught.value


def test_small_table_round_trip(tmp_path):
    store = imported(SMALL, tmp_path / "set")
    rows = rows_of()
    assert list(rows[0]) == list(ALL_NAMES)
    assert len(store) == 60
    assert store.manifest.synthetic is False
    assert store.manifest.treatment_names == TREATMENTS
    assert [t.id for t in store.manifest.treatments] == [FRREDSS_TREATMENT_IDS[name] for name in TREATMENTS]
    assert [t.name for t in store.manifest.treatments if t.clear_cut] == ["RMI100"]
    assert store.manifest.counts["records"] == len(rows) == 657
    assert store.manifest.counts["missing_records"] == 3
    at = {int(no): i for i, no in enumerate(store.column("cluster_no"))}
    stored = {
        "center_lat": "lat", "center_lng": "lon", "slope": "grade_pct", "area": "area_acres", "mean_yarding": "yarding_ft",
        "center_elevation": "elevation_ft", "wood_density": "wood_density_kg_per_m3",
    }  # fmt: skip
    removed = {"stem4to6_tonsacre": "stem_4_6_bdt_per_acre", "stem6to9_tonsacre": "stem_6_9_bdt_per_acre",
               "stem9plus_tonsacre": "stem_9_plus_bdt_per_acre", "branch_tonsacre": "branch_bdt_per_acre"}  # fmt: skip
    codes = store.manifest.codes
    for row in rows:
        i, t = at[int(row["cluster_no"])], int(row["treatmentid"]) - 1
        for theirs, ours in stored.items():
            assert store.column(ours)[i] == pytest.approx(float(row[theirs]), rel=1e-6)
        for theirs, ours in removed.items():
            assert store.column(ours)[t, i] == np.float32(row[theirs])
        assert codes["county"][store.column("county")[i]] == row["county_name"]
        assert codes["forest_type"][store.column("forest_type")[i]] == row["forest_type"]
        assert store.column("hazard_class")[i] == int(row["haz_class"] or 255)
        assert land_use_code(row["land_use"]) == store.column("land_use")[i]
    assert np.array_equal(store.column("slope_pct"), store.column("grade_pct"))
    assert np.isnan(store.column("burn_probability")).all()
    assert (store.column("zone") == -1).all()
    assert store.manifest.scales.p_lo is None
    assert store.manifest.distance_modes == ()
    notes = " ".join(store.manifest.notes)
    for words in ("no burn_probability", "no zone or circuity", "no slope_pct", "3 of 660"):
        assert words in notes
    assert {p.vintage for p in store.manifest.provenance} == {"2025"}


def test_row_order_and_batch_size_do_not_matter(tmp_path, monkeypatch):
    expected = imported(SMALL, tmp_path / "set")
    rows = rows_of()
    np.random.default_rng(3).shuffle(rows)
    monkeypatch.setattr(table_read, "_CSV_BLOCK_BYTES", 4096)
    store = imported(write(tmp_path / SMALL.name, rows), tmp_path / "again")
    assert store.hash == expected.hash


@pytest.mark.parametrize(
    "kind", ["parquet", "parquet dictionary", "gzip", "semicolon", "crlf and bom", "quoted", "upper case"]
)
def test_other_forms_of_the_same_table(tmp_path, kind):
    expected = imported(SMALL, tmp_path / "set").hash
    text = SMALL.read_text()
    path = tmp_path / "treated_clusters_small.other"
    if kind.startswith("parquet"):
        table = pyarrow.csv.read_csv(SMALL)
        if "dictionary" in kind:
            at = table.schema.get_field_index("land_use")
            table = table.set_column(at, "land_use", table["land_use"].dictionary_encode())
        pyarrow.parquet.write_table(table, path)
    elif kind == "gzip":
        path.write_bytes(gzip.compress(SMALL.read_bytes()))
    elif kind == "semicolon":
        path.write_text(text.replace(",", ";"))
    elif kind == "crlf and bom":
        path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    elif kind == "quoted":
        path.write_text("\n".join(",".join(f'"{v}"' for v in line.split(",")) for line in text.splitlines()) + "\n")
    else:
        head, rest = text.split("\n", 1)
        path.write_text(head.upper() + "\n" + rest)
    with read_table(path, FRREDSS) as source:
        source.title = f"Imported from {SMALL.name}"
        source._path = SMALL
        assert materialize(source, tmp_path / "again", workers=1).layers_hash == expected


def test_extras_are_taken_where_they_are(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        row["burn_probability"] = "" if i < 11 else f"{0.001 * (i // 11):.4f}"
        row["circuity"] = "" if i < 22 else f"{1.2 + 0.1 * (i // 11 % 4):.2f}"
        row["slope_pct"] = f"{i // 11}"
        row["wilderness"] = str(int(i // 11 == 5))

    rows = rows_of()
    place: dict[str, int] = {}
    for row in rows:
        change(11 * place.setdefault(row["cluster_no"], len(place)), row)
    store = imported(write(tmp_path / "table.csv", rows), tmp_path / "set")
    at = {int(no): i for i, no in enumerate(store.column("cluster_no"))}
    for no, k in place.items():
        i = at[int(no)]
        p = store.column("burn_probability")[i]
        assert np.isnan(p) if k < 1 else p == np.float32(0.001 * k)
        zone = store.column("zone")[i]
        assert zone == -1 if k < 2 else store.manifest.zone_factors[zone] == pytest.approx(1.2 + 0.1 * (k % 4))
        assert store.column("slope_pct")[i] == k
        assert store.column("wilderness")[i] == (k == 5)
    assert store.manifest.distance_modes == ("zone",)
    assert store.manifest.counts["unknown_burn_probability"] == 1
    assert store.manifest.counts["unknown_zone"] == 2


def test_zones_need_their_factors(tmp_path):
    path = changed(tmp_path, lambda i, row: row.update(zone="1"))
    assert "no factors" in refused(path).message
    given = TableOptions(treatment_ids="frredss", zone_factors=(1.2, 1.5))
    store = imported(path, tmp_path / "set", given)
    assert (store.column("zone") == 1).all()
    assert store.manifest.zone_factors == (1.2, 1.5)
    path = changed(tmp_path, lambda i, row: row.update(zone="2"))
    assert "60 clusters lie in zones" in refused(path, given).message
    assert "no zone column" in refused(SMALL, given).message


# --- treatments are never assumed -------------------------------------------------------------------------------------


def test_ids_alone_are_refused():
    error = refused(SMALL, TableOptions())
    assert error.code == "treatment_ids_unknown"
    assert "--treatments" in error.fix


def test_an_id_table_decides(tmp_path):
    swapped = {**{i: n for n, i in FRREDSS_TREATMENT_IDS.items()}, 2: "SDI55", 3: "SDI30"}
    (tmp_path / "ids.csv").write_text("ID,Name\n" + "".join(f"{i},{n}\n" for i, n in swapped.items()))
    store = imported(SMALL, tmp_path / "set", TableOptions(treatments=tmp_path / "ids.csv"))
    plain = imported(SMALL, tmp_path / "plain")
    ours, theirs = (s.manifest.treatment_names.index(n) for s, n in ((store, "SDI55"), (plain, "SDI30")))
    np.testing.assert_array_equal(store.column("cost_usd_per_bdt")[ours], plain.column("cost_usd_per_bdt")[theirs])
    assert {t.name: t.id for t in store.manifest.treatments}["SDI55"] == 2


@pytest.mark.parametrize("column", ["treatment", "Treatment Name"])
def test_a_name_column_decides(tmp_path, column):
    names = {str(i): n for n, i in FRREDSS_TREATMENT_IDS.items()}
    path = changed(tmp_path, lambda i, row: row.update({column: names[row["treatmentid"]]}))
    path = path.rename(tmp_path / SMALL.name)
    assert imported(path, tmp_path / "set", TableOptions()).hash == imported(SMALL, tmp_path / "plain").hash
    bad = changed(tmp_path, lambda i, row: row.update({column: "RMI99" if i < 5 else names[row["treatmentid"]]}))
    assert "RMI99 (5 rows)" in refused(bad, TableOptions()).message


def test_unknown_ids_are_counted(tmp_path):
    error = refused(
        changed(tmp_path, lambda i, row: row.update(treatmentid="12" if i % 100 == 0 else row["treatmentid"]))
    )
    assert error.code == "treatment_unknown"
    assert "12 (7 rows)" in error.message


@pytest.mark.parametrize(
    ("text", "said"),
    [("id,name\n1,RMI99\n", "RMI99"), ("a,b\n1,2\n", "not a list"), ("id,name\n1,SDI30\n1,SDI55\n", "twice"),
     ("[1, 2]", "not a list"), ("", "no treatment")],
)  # fmt: skip
def test_unusable_id_tables(tmp_path, text, said):
    (tmp_path / "ids").write_text(text)
    with pytest.raises(InvalidValueError, match=said):
        read_treatment_ids(tmp_path / "ids")


def test_id_tables_in_json(tmp_path):
    (tmp_path / "ids.json").write_text('{"7": "sdi30"}')
    assert read_treatment_ids(tmp_path / "ids.json") == {7: "SDI30"}
    (tmp_path / "ids.json").write_text('[{"id": 7, "name": "SDI30"}]')
    assert read_treatment_ids(tmp_path / "ids.json") == {7: "SDI30"}


# --- gates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["cluster_no", "slope", "area", "mean_yarding", "land_use", "wood_density", "branch_tonsacre"]
)
def test_missing_column(tmp_path, name):
    error = refused(changed(tmp_path, lambda i, row: row.pop(name)))
    assert error.code == "columns_missing"
    assert name in error.message


def test_every_missing_column_is_named_at_once(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        for name in ("center_lat", "landing_lng", "center_elevation", "landing_elevation", "treatmentid", "slope"):
            row.pop(name)

    message = refused(changed(tmp_path, change)).message
    for words in ("slope", "center_lat and center_lng", "center_elevation", "treatmentid"):
        assert words in message


def test_landing_stands_in_for_the_centre(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        if int(row["cluster_no"]) % 2:
            row["center_lat"] = row["center_lng"] = ""

    store = imported(changed(tmp_path, change), tmp_path / "set")
    landing = {int(r["cluster_no"]): float(r["landing_lat"]) for r in rows_of()}
    centre = {int(r["cluster_no"]): float(r["center_lat"]) for r in rows_of()}
    for no, lat in zip(store.column("cluster_no").tolist(), store.column("lat").tolist(), strict=True):
        assert lat == (landing if no % 2 else centre)[no]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("center_lat", "inf", "3 rows without finite coordinates"),
        ("stem4to6_tonsacre", "-0.5", "3 rows with negative tons"),
        ("branch_tonsacre", "", "3 rows with empty or infinite tons"),
        ("stem9plus_tonsacre", "inf", "3 rows with empty or infinite tons"),
        ("area", "0", "3 rows with area outside"),
        ("area", "", "3 rows with area outside"),
        ("mean_yarding", "-5", "3 rows with mean_yarding outside"),
        ("mean_yarding", "2e6", "3 rows with mean_yarding outside"),
        ("slope", "-3", "3 rows with slope outside"),
        ("cluster_no", "", "3 rows without a cluster_no"),
        ("center_lat", "47.5", "3 rows outside California"),
        ("center_lng", "120.9", "3 rows whose longitude lacks its minus sign"),
        ("burn_probability", "1.5", "3 rows with burn_probability outside 0 to 1"),
        ("circuity", "0.8", "3 rows with circuity outside 1 to 6"),
    ],
)
def test_values_out_of_range_are_counted_with_their_rows(tmp_path, name, value, said):
    def change(i: int, row: dict[str, Any]) -> None:
        if name in ("burn_probability", "circuity"):
            row.setdefault(name, "")
        if i in (4, 50, 333):
            row[name] = value

    error = refused(changed(tmp_path, change))
    assert said in error.message
    assert "row 5" in error.message
    assert error.code == "table_values"


def test_no_position_at_all(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        if i < 11:
            row.update(center_lat="", center_lng="", landing_lat="", landing_lng="NaN")

    assert "11 rows without finite coordinates" in refused(changed(tmp_path, change)).message


def test_swapped_coordinates(tmp_path):
    error = refused(
        changed(tmp_path, lambda i, row: row.update(center_lat=row["center_lng"], center_lng=row["center_lat"]))
    )
    assert "657 rows with latitude and longitude swapped" in error.message
    assert "Exchange" in error.fix


def test_a_table_of_another_state_inside_the_box(tmp_path):
    error = refused(changed(tmp_path, lambda i, row: row.update(center_lat="39.5", center_lng=f"-115.{i // 11:03d}")))
    # The rows of a cluster are not always eleven, so some clusters would lie in two places: either is a refusal.
    assert error.code in {"outside_california", "cluster_in_two_places"}
    error = refused(changed(tmp_path, lambda i, row: row.update(center_lng=str(float(row["center_lng"]) + 4))))
    assert error.code == "outside_california"
    assert "60 of 60 clusters" in error.message


def test_text_in_number_columns_is_counted(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        if i in (3, 9):
            row["slope"] = "steep"
        if i == 12:
            row["area"] = "32 acres"

    error = refused(changed(tmp_path, change))
    assert error.code == "text_in_numbers"
    assert "slope: 2 ('steep' in row 4" in error.message
    assert "area: 1" in error.message


def test_text_in_a_parquet_column(tmp_path):
    table = pyarrow.csv.read_csv(SMALL)
    at = table.schema.get_field_index("slope")
    pyarrow.parquet.write_table(table.set_column(at, "slope", pyarrow.array(["x"] * 657)), tmp_path / "t.parquet")
    error = refused(tmp_path / "t.parquet")
    assert error.code == "text_in_numbers"
    assert "slope" in error.message


@pytest.mark.parametrize("apart", [1, 300])
def test_duplicates(tmp_path, apart):
    rows = rows_of()
    rows.insert(apart, dict(rows[0]))
    rows.append(dict(rows[5]))
    error = refused(write(tmp_path / "table.csv", rows))
    assert error.code == "duplicate_records"
    assert "2 rows repeat" in error.message


def test_two_years_of_the_same_table(tmp_path):
    rows = rows_of()
    error = refused(write(tmp_path / "table.csv", rows + [{**row, "year": "2030"} for row in rows]))
    assert "657 rows repeat" in error.message
    assert "2025, 2030" in error.message


def test_a_cluster_in_two_places(tmp_path):
    error = refused(changed(tmp_path, lambda i, row: row.update(center_lat="39.9") if i == 7 else None))
    assert error.code == "cluster_in_two_places"
    assert "1 cluster numbers" in error.message


def test_records_that_disagree_are_counted_and_the_first_treatment_decides(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        if row["treatmentid"] == "5":
            row["slope"] = "77"

    rows = rows_of(changed(tmp_path, change))
    np.random.default_rng(5).shuffle(rows)
    store = imported(write(tmp_path / SMALL.name, rows), tmp_path / "set")
    assert store.manifest.counts["inconsistent_slope"] == 60
    np.testing.assert_array_equal(store.column("grade_pct"), imported(SMALL, tmp_path / "plain").column("grade_pct"))


@pytest.mark.parametrize(
    ("factor", "words"), [(0.001, "g per cm3"), (0.062428, "lb per ft3"), (3.0, "58 of 58 clusters with removals")]
)
def test_wood_density_unit(tmp_path, factor, words):
    error = refused(changed(tmp_path, lambda i, row: row.update(wood_density=str(float(row["wood_density"]) * factor))))
    assert error.code == "wood_density_unit"
    assert words in error.message


def test_yarding_in_metres(tmp_path):
    error = refused(changed(tmp_path, lambda i, row: row.update(mean_yarding=str(float(row["mean_yarding"]) * 0.3048))))
    assert error.code == "yarding_unit"


@pytest.mark.parametrize(("factor", "words"), [(32.024857, "tons per cluster"), (1 / 32.024857, "divided by the area")])
def test_per_acre_and_per_cluster_mixed_up(tmp_path, factor, words):
    def change(i: int, row: dict[str, Any]) -> None:
        for name in row:
            if name.endswith("_tonsacre"):
                row[name] = str(float(row[name]) * factor)

    error = refused(changed(tmp_path, change))
    assert error.code == "per_acre_per_cluster"
    assert words in error.message
    assert "GT per acre" in error.message


def test_single_records_outside_the_bounds_are_counted(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        if i < 4:
            row["branch_tonsacre"] = "90"

    with read_table(SMALL, FRREDSS) as source:
        before = source.counts["records_outside_tonnage_bounds"]
    with read_table(changed(tmp_path, change), FRREDSS) as source:
        assert source.counts["records_outside_tonnage_bounds"] == before + 4
        assert any("single records outside" in note for note in source.notes)


def test_nothing_to_burn(tmp_path):
    def change(i: int, row: dict[str, Any]) -> None:
        for name in row:
            if name.endswith("_tonsacre"):
                row[name] = "0"

    assert refused(changed(tmp_path, change)).code == "no_feedstock"


def test_land_uses_not_recognised_are_other_and_listed(tmp_path):
    store = imported(changed(tmp_path, lambda i, row: row.update(land_use="Moon base")), tmp_path / "set")
    assert (store.column("land_use") == LAND_USES.index("other")).all()
    assert store.manifest.counts["land_use_not_recognised"] == 60
    assert "'Moon base'" in " ".join(store.manifest.notes)


@pytest.mark.parametrize(
    ("text", "use"),
    [("Private Industrial", "private"), ("USDA FOREST SERVICE", "usfs"), ("Plumas National Forest", "usfs"), ("BLM", "blm"),
     ("Bureau of Land Management", "blm"), ("National Park Service", "nps"), ("State Parks", "state"), ("Tribal", "tribal"),
     ("Bureau of Indian Affairs", "tribal"), ("usfs", "usfs"), ("other", "other")],
)  # fmt: skip
def test_land_use_words(text, use):
    assert land_use_code(text) == LAND_USES.index(use)


def test_an_estate_is_not_a_state():
    assert land_use_code("Estate") is None


# --- files that are not whole -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n\n", b"   "])
def test_empty_file(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(content)
    assert refused(tmp_path / "t.csv").message


def test_header_only(tmp_path):
    (tmp_path / "t.csv").write_text(SMALL.read_text().split("\n")[0] + "\n")
    assert refused(tmp_path / "t.csv").code == "table_empty"


def test_absent_file(tmp_path):
    assert "cannot be read" in refused(tmp_path / "none.csv").message


def test_truncated_csv(tmp_path):
    text = SMALL.read_text()
    (tmp_path / "t.csv").write_text(text[: text.rindex("\n", 0, -1) + 40])
    error = refused(tmp_path / "t.csv")
    assert error.code == "table_truncated"
    assert "cut off" in error.message


def test_truncated_gzip(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(SMALL.read_bytes())[:-2000])
    assert refused(tmp_path / "t.csv.gz").code == "table_truncated"


def test_truncated_parquet(tmp_path):
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(SMALL), tmp_path / "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(data[:-100])
    assert refused(tmp_path / "t.parquet").code == "table_truncated"


def test_rows_of_another_width(tmp_path):
    lines = SMALL.read_text().splitlines()
    lines[10] += ",7"
    lines[20] += ",7"
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert "2 rows" in refused(tmp_path / "t.csv").message


def test_a_column_twice(tmp_path):
    head, rest = SMALL.read_text().split("\n", 1)
    (tmp_path / "t.csv").write_text(head.replace("site_class", "slope") + "\n" + rest)
    assert "slope twice" in refused(tmp_path / "t.csv").message


def test_fixed_mapping_can_be_chosen(tmp_path):
    options = TableOptions(treatment_ids="frredss", mapping="fixed")
    store = imported(SMALL, tmp_path / "set", options)
    assert store.manifest.mapping == "fixed"
    assert store.hash != imported(SMALL, tmp_path / "split").hash


def test_areas_in_hectares_are_asked_about(tmp_path):
    def hectares(_i, row):
        row["area"] = str(float(row["area"]) / 2.471054)

    table = changed(tmp_path, hectares)
    error = refused(table)
    assert error.code == "area_unit"
    assert "hectares" in error.message
    assert "--area-unit hectares" in error.fix
    assert 'area_unit = "hectares"' in error.fix
    converted = imported(table, tmp_path / "a", TableOptions(treatment_ids="frredss", area_unit="hectares"))
    plain = imported(SMALL, tmp_path / "b")
    np.testing.assert_allclose(converted.column("area_acres"), plain.column("area_acres"), rtol=1e-6)
    with read_table(table, TableOptions(treatment_ids="frredss", area_unit="acres")) as source:
        assert any("typical cluster area 13.0 acres" in note for note in source.notes)


def test_areas_in_square_kilometres_are_asked_about(tmp_path):
    def square_km(_i, row):
        row["area"] = str(float(row["area"]) / 247.1054)

    assert "square kilometres" in refused(changed(tmp_path, square_km)).message


def test_blanks_are_filled_from_the_landing_and_counted(tmp_path):
    first = rows_of()[0]["cluster_no"]

    def blank(_i, row):
        row["landing_elevation"] = "1234" if row["cluster_no"] != first else ""
        row["center_elevation"] = ""
        row["landing_lat"], row["landing_lng"] = row["center_lat"], row["center_lng"]
        row["center_lat"] = row["center_lng"] = ""

    with read_table(changed(tmp_path, blank), FRREDSS) as source:
        counts, elevation = source.counts, source.clusters()["elevation_ft"]
        notes = " ".join(source.notes)
    records = sum(row["cluster_no"] == first for row in rows_of())
    assert counts["rows_with_elevation_of_the_landing"] == 657 - records
    assert counts["rows_with_position_of_the_landing"] == 657
    assert counts["clusters_without_elevation"] == 1
    assert np.count_nonzero(elevation == 1234) == 59
    assert "elevation unknown for 1 clusters" in notes


@pytest.mark.parametrize("kind", ["utf-16", "utf-16-le", "utf-32", "random", "latin-1 header"])
def test_what_is_no_utf8_text_is_said(tmp_path, kind):
    text = SMALL.read_text()
    if kind == "random":
        data = np.random.default_rng(5).bytes(5000)
    elif kind == "latin-1 header":
        data = ("a\xf1o," + text).encode("latin-1")
    else:
        data = text.encode(kind)
    (tmp_path / "table.csv").write_bytes(data)
    error = refused(tmp_path / "table.csv")
    assert error.code == "not_text"
    assert "not a UTF-8 text table" in error.message


def test_a_table_without_any_slope_is_refused_and_not_built_empty(tmp_path):
    def flatten(_, row):
        row["slope"] = ""
        row.pop("slope_pct", None)

    error = refused(changed(tmp_path, flatten))
    assert "slope" in error.message
    assert "[dem]" in error.fix
