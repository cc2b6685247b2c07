import FuzzSupport
import Keys
import Primitives

@testable import Opening

/// The contact list's file, which holds the senders' roles and rights: a parsed list is written as the same list, and
/// one bad line refuses all of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContacts(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let bytes = input.selector & 1 == 0 ? input.rest : withKeys(input.rest)
    do {
        let list = try ContactList(encoded: bytes)
        require(list.contacts.allSatisfy { list.contact(for: $0.key) == $0 }, "everybody is found by the key")
        require(list.contacts.allSatisfy { $0.name?.utf8.contains(0) != true }, "no name holds NUL")
        require(try ContactList(encoded: list.encoded) == list, "what was written reads as the same list")
        for contact in list.contacts {
            // The lookup must not refuse a file that the list accepts.
            let found = try? ContactDirectory(encoded: bytes).contact(for: contact.key)
            require(found == contact, "one who is asked for is who the list says")
        }
    } catch {
        // Any proper refusal is right.
    }
    return 0
}

/// A digit behind `@` stands for a whole key, which a fuzzer would not guess.
private func withKeys(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var isMarked = false
    for byte in text {
        if isMarked, (0x30...0x39).contains(byte) {
            bytes.removeLast()
            bytes += keys[Int(byte - 0x30)]
        } else {
            bytes.append(byte)
        }
        isMarked = byte == UInt8(ascii: "@")
    }
    return bytes
}

private let keys: [[UInt8]] = (0..<UInt64(10)).map { number in
    var random = FixedRandom(seed: number)
    return Array(SenderKey(Ed25519PrivateKey(random: &random).publicKey).text.utf8)
}
