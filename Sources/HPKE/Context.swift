package import Primitives

/// The sender's side of one HPKE exchange: seals any number of messages, in order.
package struct SenderContext: ~Copyable {
    /// 32 bytes that the recipient needs to open.
    package let encapsulatedKey: [UInt8]
    private var state: ContextState

    /// - Throws: `.lowOrderPublicKey`, `.randomSourceFailed`.
    /// - Source: RFC 9180 sections 5.1.1 to 5.1.4, `SetupBaseS` to `SetupAuthPSKS`.
    package init(
        _ suite: CipherSuite,
        _ mode: borrowing SenderMode,
        recipient: X25519PublicKey,
        info: [UInt8],
        random: inout some RandomSource
    ) throws(HPKEError) {
        let ephemeral = try EphemeralKey.draw(from: &random)
        try self.init(suite, mode, recipient: recipient, info: info, ephemeral: ephemeral)
    }

    /// With the ephemeral key given: for vectors only, since a repeated one gives the plaintext away.
    init(
        _ suite: CipherSuite,
        _ mode: borrowing SenderMode,
        recipient: X25519PublicKey,
        info: [UInt8],
        ephemeral: borrowing X25519PrivateKey
    ) throws(HPKEError) {
        let schedule: KeySchedule
        switch mode {
        case .base:
            let secret = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral)
            schedule = try KeySchedule(suite, .base, sharedSecret: secret, info: info)
        case .psk(let psk):
            let secret = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral)
            schedule = try KeySchedule(suite, .psk, sharedSecret: secret, info: info, psk: psk)
        case .auth(let sender):
            let secret = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral, sender: sender)
            schedule = try KeySchedule(suite, .auth, sharedSecret: secret, info: info)
        case .authPSK(let both):
            let secret = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral, sender: both.sender)
            schedule = try KeySchedule(suite, .authPSK, sharedSecret: secret, info: info, psk: both.psk)
        }
        encapsulatedKey = ephemeral.publicKey.rawRepresentation
        state = ContextState(schedule: schedule)
    }

    /// - Returns: plaintext + 16 bytes.
    /// - Throws: `.messageLimitReached`, `.exportOnly`.
    package mutating func seal(_ plaintext: [UInt8], aad: [UInt8]) throws(HPKEError) -> [UInt8] {
        let nonce = try state.nonce()
        let ciphertext = try state.schedule.suite.aead.seal(plaintext, key: state.schedule.key, nonce: nonce, aad: aad)
        state.sequence += 1
        return ciphertext
    }

    /// - Parameters:
    ///   - context: what the secret is for.
    ///   - byteCount: 0 ... 8,160.
    /// - Returns: `byteCount` bytes.
    /// - Throws: `.exportTooLong`.
    package func export(context: [UInt8], byteCount: Int) throws(HPKEError) -> SecretBytes {
        try state.export(context: context, byteCount: byteCount)
    }

    /// Moves the counter, to test its end without 2^64 messages.
    mutating func skip(to sequence: UInt64) { state.sequence = sequence }
}

/// The recipient's side of one HPKE exchange: opens the messages in the order they were sealed.
package struct RecipientContext: ~Copyable {
    private var state: ContextState

    /// - Throws: `.wrongEncapsulatedKeyLength`, `.lowOrderPublicKey`.
    /// - Source: RFC 9180 sections 5.1.1 to 5.1.4, `SetupBaseR` to `SetupAuthPSKR`.
    package init(
        _ suite: CipherSuite,
        _ mode: borrowing RecipientMode,
        encapsulatedKey: [UInt8],
        recipient: borrowing X25519PrivateKey,
        info: [UInt8]
    ) throws(HPKEError) {
        let schedule: KeySchedule
        switch mode {
        case .base:
            let secret = try DHKEM.decapsulate(encapsulatedKey, with: recipient)
            schedule = try KeySchedule(suite, .base, sharedSecret: secret, info: info)
        case .psk(let psk):
            let secret = try DHKEM.decapsulate(encapsulatedKey, with: recipient)
            schedule = try KeySchedule(suite, .psk, sharedSecret: secret, info: info, psk: psk)
        case .auth(let sender):
            let secret = try DHKEM.decapsulate(encapsulatedKey, with: recipient, sender: sender)
            schedule = try KeySchedule(suite, .auth, sharedSecret: secret, info: info)
        case .authPSK(let both):
            let secret = try DHKEM.decapsulate(encapsulatedKey, with: recipient, sender: both.sender)
            schedule = try KeySchedule(suite, .authPSK, sharedSecret: secret, info: info, psk: both.psk)
        }
        state = ContextState(schedule: schedule)
    }

    /// The counter moves only when the message opens (RFC 9180 section 5.2), so a forgery does not shut out the next.
    ///
    /// - Returns: ciphertext - 16 bytes.
    /// - Throws: `.openFailed`, `.messageLimitReached`, `.exportOnly`.
    package mutating func open(_ ciphertext: ArraySlice<UInt8>, aad: [UInt8]) throws(HPKEError) -> [UInt8] {
        let nonce = try state.nonce()
        let plaintext = try state.schedule.suite.aead.open(ciphertext, key: state.schedule.key, nonce: nonce, aad: aad)
        state.sequence += 1
        return plaintext
    }

    /// - Parameters:
    ///   - context: what the secret is for.
    ///   - byteCount: 0 ... 8,160.
    /// - Returns: `byteCount` bytes.
    /// - Throws: `.exportTooLong`.
    package func export(context: [UInt8], byteCount: Int) throws(HPKEError) -> SecretBytes {
        try state.export(context: context, byteCount: byteCount)
    }

    /// Moves the counter, to test its end without 2^64 messages.
    mutating func skip(to sequence: UInt64) { state.sequence = sequence }
}

/// What both sides keep: the schedule's keys and the 64-bit counter.
private struct ContextState: ~Copyable {
    let schedule: KeySchedule
    var sequence: UInt64 = 0

    init(schedule: consuming KeySchedule) { self.schedule = schedule }

    func nonce() throws(HPKEError) -> [UInt8] {
        try HPKE.nonce(base: schedule.baseNonce, sequence: sequence)
    }

    /// - Source: RFC 9180 section 5.3.
    func export(context: [UInt8], byteCount: Int) throws(HPKEError) -> SecretBytes {
        let secret = try schedule.exporterSecret()
        return try schedule.suite.hkdf.expand(secret, label: "sec", byteCount: byteCount) { $0.update(context) }
    }
}

extension HPKE {
    /// The nonce of the `sequence`-th message: base nonce XOR the big-endian counter.
    ///
    /// - Parameters:
    ///   - base: 12 bytes (Nn), from the key schedule; none for the export-only AEAD.
    ///   - sequence: 0 for the first message.
    /// - Returns: as many bytes as `base`.
    /// - Throws: `.messageLimitReached` rather than ever repeat a nonce.
    /// - Source: RFC 9180 section 5.2, `ComputeNonce`.
    static func nonce(base: [UInt8], sequence: UInt64) throws(HPKEError) -> [UInt8] {
        guard sequence < .max else { throw .messageLimitReached }
        guard !base.isEmpty else { return [] }
        precondition(base.count == 12)
        var nonce = base
        for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: sequence >> (8 * index)) }
        return nonce
    }
}
