from __future__ import annotations

import ipaddress
import re

import pytest
from places_cases import make_note

from spacy_deid.redaction.surrogates.numbers.addresses import is_network, network, url

NOTES = [make_note(patient=f"patient {number}") for number in range(100)]


@pytest.mark.parametrize("value", ["10.2.33.4", "172.20.1.9", "192.168.1.44", "127.0.0.1"])
def test_network_private_stays_private(value):
    for note in NOTES:
        surrogate = network(note, value)
        assert ipaddress.ip_address(surrogate).is_private
        assert surrogate.split(".")[3] != value.split(".")[3]


def test_network_public_address():
    for note in NOTES:
        surrogate = network(note, "8.8.4.4:8080")
        octets = surrogate.removesuffix(":8080").split(".")
        assert ipaddress.ip_address(".".join(octets)).is_global
        assert all(old != new for old, new in zip("8844", octets, strict=True))
        assert 1 <= min(map(int, octets)) and max(map(int, octets)) <= 254


def test_network_neighbours_stay_neighbours():
    one, other = (network(NOTES[0], f"8.8.4.{host}") for host in (4, 5))
    assert one.rsplit(".", 1)[0] == other.rsplit(".", 1)[0]
    assert one != other


@pytest.mark.parametrize("value", ["fe80::1ff:fe23:4567:890a/64", "2001:DB8:0:0:8:800:200C:417A"])
def test_network_ipv6(value):
    for note in NOTES:
        surrogate = network(note, value)
        ipaddress.ip_interface(surrogate)
        assert re.sub("[0-9a-fA-F]", "", surrogate) == re.sub("[0-9a-fA-F]", "", value)
        assert surrogate.isupper() == value.isupper()


def test_network_mac_agrees_in_all_forms():
    colons = network(NOTES[0], "00:1B:44:11:3A:B7")
    assert re.fullmatch("([0-9A-F]{2}:){5}[0-9A-F]{2}", colons)
    assert network(NOTES[0], "00-1b-44-11-3a-b7") == colons.lower().replace(":", "-")
    assert network(NOTES[0], "001b.4411.3ab7").replace(".", "") == colons.lower().replace(":", "")
    assert colons[1] in "048C"


@pytest.mark.parametrize("value", ["1.2.3", "a.b.c.d", "12:30", "example.org", ""])
def test_network_is_nothing_else(value):
    assert not is_network(value)


@pytest.mark.parametrize(
    "value, form",
    [
        ("https://www.upmc.com/patients/jdoe", r"https://www\.[a-z]+\.com/patients/[a-z]+"),
        ("portal.st-marys.co.uk", r"portal\.[a-z]+-[a-z]+\.co\.uk"),
        ("HTTP://WWW.UPMC.EDU", r"HTTP://WWW\.[A-Z]+\.EDU"),
        ("upmc.org:8443/v/12345?id=77", r"[a-z]+\.org:8443/v/\d{5}\?id=\d\d"),
        ("http://10.1.2.3/login", r"http://10\.\d+\.\d+\.\d+/login"),
        ("health.org", r"[a-z]+\.org"),
        ("http://portal.mercyhosp/patient/4711", r"http://portal\.[a-z]+/patient/\d{4}"),
        ("intranet.stjude:8080", r"[a-z]+\.[a-z]+:8080"),
        ("jdoe.upmc.or.jp ", r"[a-z]+\.[a-z]+\.or\.jp "),
        ("intranet/smith%20j.html", r"[a-z]+/[a-z]+%20[a-z]+\.html"),
    ],
)
def test_url_keeps_what_is_generic(value, form):
    own = set(
        re.findall(
            r"upmc|marys|jdoe|smith|12345|health|intranet|mercyhosp|stjude|4711", value.lower()
        )
    )
    for note in NOTES:
        surrogate = url(note, value)
        assert re.fullmatch(form, surrogate)
        assert not own & set(re.findall(r"\w+", surrogate.lower()))


@pytest.mark.parametrize(
    "value, form",
    [
        (
            "https://john.smith:Winter2020@portal.mercy.org/a",
            r"https://\w+\.\w+:\w+@portal\.\w+\.org/\w+",
        ),
        ("https://mercy.org:maria", r"https://\w+\.org:\w+"),
        ("ftp://8.8.8.8:lopez@mercy.org:21/", r"ftp://[\d.]+:\w+@\w+\.org:21/"),
    ],
)
def test_url_keeps_no_user_and_no_password(value, form):
    for note in NOTES:
        surrogate = url(note, value)
        assert re.fullmatch(form, surrogate)
        assert not re.search(r"\b(john|smith|Winter2020|mercy|maria|8\.8|lopez)\b", surrogate)
