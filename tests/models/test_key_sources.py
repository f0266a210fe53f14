"""A key goes where its own source says, and nowhere else: sources are not mixed."""

from pathlib import Path

import pytest

from memtrial.models.client.keys import Keys, read_keys
from memtrial.models.client.types import ModelFault
from memtrial.models.embeddings.provider import check_embedder
from memtrial.models.providers.open import open_backend
from memtrial.models.providers.provider_table import ALL as PROVIDERS
from memtrial.models.providers.provider_table import destinations, known_provider, reach
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, serve_script
from tests.support.refusing import Warm, refused
from tests.support.small import write_spec

KEY, OTHER = "sk-of-the-environment-01", "sk-of-the-file-0123456789"
THERE = "https://gateway.example:8443/v1"
NEEDING = {one.name: one.keys[0] for one in PROVIDERS}
OPENAI = known_provider("openai").address
ALL = pytest.mark.parametrize(("provider", "holder"), [*NEEDING.items(), ("acme-lab", "ACME_LAB_API_KEY")])


def known(folder: Path, environment: dict[str, str], *lines: str, base_urls: tuple[str, ...] = ()) -> Keys:
    (folder / ".env").write_text("".join(f"{line}\n" for line in lines))
    inner = folder / "a" / "b"
    inner.mkdir(parents=True, exist_ok=True)
    return read_keys(environment, inner, base_urls)


def variable(provider: str) -> str:
    return f"{provider.upper().replace('-', '_').replace('.', '_')}_BASE_URL"


@ALL
def test_a_key_of_the_environment_does_not_go_where_a_file_points(
    tmp_path: Path, provider: str, holder: str
) -> None:
    name, model = variable(provider), f"{provider}/m"
    one_way = known(tmp_path, {holder: KEY}, f"{name}={THERE}")
    with pytest.raises(
        ModelFault, match=rf"{name} in .*\.env.*{holder} of the environment.*gateway\.example"
    ):
        open_backend(model, one_way)
    # nor the reverse, nor where another key stands beside the address
    for keys in (
        known(tmp_path, {name: THERE}, f"{holder}={OTHER}"),
        known(tmp_path, {holder: KEY}, f"{name}={THERE}", f"{holder}={OTHER}"),
    ):
        with pytest.raises(ModelFault, match=rf"--base-url {provider}=URL") as raised:
            reach(model, provider, keys)
        assert KEY not in str(raised.value)
        assert OTHER not in str(raised.value)


@ALL
def test_one_source_is_fine_and_so_is_what_somebody_confirms(
    tmp_path: Path, provider: str, holder: str
) -> None:
    name, model = variable(provider), f"{provider}/m"
    ways = (
        (known(tmp_path, {holder: KEY, name: THERE}), THERE, KEY),
        (known(tmp_path, {}, f"{name}={THERE}", f"{holder}={OTHER}"), THERE, OTHER),
        (known(tmp_path, {holder: KEY}, f"{name}=http://x", base_urls=(f"{provider}={THERE}/",)), THERE, KEY),
        (known(tmp_path, {name: "http://x"}, f"{holder}={OTHER}", base_urls=(THERE,)), THERE, OTHER),
    )
    for keys, address, key in ways:
        found = reach(model, provider, keys)
        assert (found.address, found.key) == (address, key)
        (said,) = destinations([model, "hashing", "simulated/reader"], keys)
        assert "gateway.example:8443" in said
        assert key not in said


def test_a_provider_of_its_own_address_is_told_of_nowhere(tmp_path: Path) -> None:
    own = f"ANTHROPIC_BASE_URL={OPENAI}"
    keys = known(tmp_path, {"OPENAI_API_KEY": KEY}, f"OPENAI_BASE_URL={OPENAI}/", own)
    assert destinations(["openai/m"], keys) == ()


def test_a_server_without_a_key_may_stand_anywhere(tmp_path: Path) -> None:
    keys = known(
        tmp_path, {"OPENAI_API_KEY": KEY}, "ANTHROPIC_BASE_URL=http://127.0.0.1:1", f"VLLM_BASE_URL={THERE}"
    )
    assert destinations(["anthropic/m", "vllm/m"], keys) == ()


def test_an_embedder_and_a_token_and_headers_follow_the_same_rule(tmp_path: Path) -> None:
    keys = known(tmp_path, {"OPENAI_API_KEY": KEY}, f"OPENAI_BASE_URL={THERE}")
    with pytest.raises(ModelFault, match="OPENAI_BASE_URL"):
        check_embedder("openai/text-embedding", keys)
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"):
        lines = [f"ANTHROPIC_BASE_URL={THERE}"]
        lines += [f"ANTHROPIC_API_KEY={OTHER}"] if name.endswith("HEADERS") else []
        with pytest.raises(ModelFault, match=name):
            open_backend("anthropic/m", known(tmp_path, {name: f"authorization: {KEY}"}, *lines))


@pytest.mark.parametrize(
    ("given", "models"),
    [
        (("acme=http://x",), ["openai/m"]),
        (("http://x",), ["openai/m", "anthropic/m"]),
        (("http://x",), ["simulated/reader"]),
    ],
)
def test_an_address_for_nobody_or_for_several_is_refused(given: tuple[str, ...], models: list[str]) -> None:
    keys = read_keys({"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}, Path("/"), given)
    with pytest.raises(ModelFault, match="--base-url"):
        destinations(models, keys)


@pytest.mark.parametrize(
    "given", [("openai=nonsense",), ("http://x", "http://y"), ("a=http://x", "a=http://y"), ("",)]
)
def test_an_address_that_is_none_is_refused(given: tuple[str, ...]) -> None:
    with pytest.raises(ModelFault, match="--base-url"):
        read_keys({}, Path("/"), given)


def test_no_verb_sends_a_key_where_a_found_file_points(warm: Warm, tmp_path: Path) -> None:
    inner = tmp_path / "project"
    inner.mkdir()
    spec = write_spec(inner)
    traces = inner / "traces.jsonl"
    traces.write_text(
        '{"trace_id": "t", "task_id": "t", "query": "q", "outcome": "success",'
        ' "steps": [{"thought": "a", "action": "b", "observation": "c"}]}\n'
    )
    settings = ("backbone=anthropic/m", "roles={}", "arms=[none, oracle]", "conditions=[filler]",
                "environment.test=1", "repeats=1", "budget.allow_unknown_prices=true")  # fmt: skip
    run = ("run", spec.name, *(f"--set={one}" for one in settings))
    condense = ("condense", traces.name, "--model", "anthropic/m")
    variables = {"ANTHROPIC_API_KEY": KEY}
    with serve_script(Script(answers_from("simulated/reader"))) as server:
        (tmp_path / ".env").write_text(f"ANTHROPIC_BASE_URL={server.url}\n")
        for verb in (run, condense):
            line = refused(warm, inner, *verb, variables=variables)
            assert "ANTHROPIC_BASE_URL" in line
            assert str(tmp_path / ".env") in line
            assert KEY not in line
        assert server.counts()["requests"] == 0
        host = server.url.removeprefix("http://")
        done = warm.call(*run, "--base-url", server.url, cwd=inner, variables=variables)
        assert done.code == 0, done
        assert f"ANTHROPIC_API_KEY of the environment goes to {host}, as --base-url says" in done.err
        assert server.counts()["requests"] > 0
    log = inner / "logs" / "small_s3" / "logs" / "attempt_1.log"
    assert f"goes to {host}" in log.read_text()
    assert KEY not in log.read_text() + done.err
