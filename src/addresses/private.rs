//! IP addresses that are not on the public web.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to this machine or a network around it.
///
/// A name can still resolve to one; whoever connects has to ask about the
/// address it connects to.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        // Shared address space of carriers, RFC 6598.
        || (first == 100 && (64..128).contains(&second))
        // Protocol assignments, the former 6to4 relays, and benchmarks: RFC 6890, 7526 and 2544.
        || (first == 192 && second == 0 && third == 0)
        || (first == 192 && second == 88 && third == 99)
        || (first == 198 && (second == 18 || second == 19))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    if let Some(address) = address.to_ipv4_mapped() {
        return is_private_v4(address);
    }
    let segments = address.segments();
    // The NAT64 prefix of RFC 6052, the 6to4 prefix of RFC 3056, and the compatible form of
    // RFC 4291 carry an IPv4 address.
    let carried = match segments {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] | [0, 0, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    };
    // Local NAT64, discarding, Teredo, documentation, segment routing, and site-local addresses.
    let special = matches!(
        segments,
        [0x64, 0xff9b, 1, ..]
            | [0x100, 0, 0, 0, ..]
            | [0x2001, 0, ..]
            | [0x2001, 0xdb8, ..]
            | [0x3fff, 0..=0xfff, ..]
            | [0x5f00, ..]
            | [0xfec0..=0xfeff, ..]
    );
    special
        || carried.is_some_and(is_private_v4)
        || address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_and_the_networks_around_it_are_private() {
        for (address, private) in [
            ("127.0.0.1", true),
            ("10.1.2.3", true),
            ("169.254.169.254", true),
            ("100.64.0.1", true),
            ("100.128.0.1", false),
            ("198.19.0.1", true),
            ("198.20.0.1", false),
            ("8.8.8.8", false),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("64:ff9b::7f00:1", true),
            ("64:ff9b::808:808", false),
            ("2002:7f00:1::", true),
            ("fd00::1", true),
            ("fe80::1", true),
            ("2606:4700::1111", false),
        ] {
            assert_eq!(is_private(address.parse().unwrap()), private, "{address}");
        }
    }
}
