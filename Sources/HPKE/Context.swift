package import Primitives

/// The sender's side of one HPKE exchange: seals any number of messages, in order.
package struct SenderContext: ~Copyable {
    /// 32 bytes that the recipient needs to open.
    package let encapsulatedKey: [UInt8]
    private var state: ContextState

    /// - Throws: `.lowOrderPublicKey`.
    /// - Source: RFC 9180 section 5.1.1, `SetupBaseS`.
    package init(
        recipient: X25519PublicKey,
        info: [UInt8],
        random: inout some RandomSource
    ) throws(HPKEError) {
        try self.init(recipient: recipient, info: info, ephemeral: X25519PrivateKey(random: &random))
    }

    /// With the ephemeral key given: for vectors only, since a repeated one gives the plaintext away.
    init(
        recipient: X25519PublicKey,
        info: [UInt8],
        ephemeral: borrowing X25519PrivateKey
    ) throws(HPKEError) {
        let sharedSecret = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral)
        state = ContextState(schedule: try KeySchedule(sharedSecret: sharedSecret, info: info))
        encapsulatedKey = ephemeral.publicKey.rawRepresentation
    }

    /// - Returns: plaintext + 16 bytes.
    /// - Throws: `.messageLimitReached`.
    package mutating func seal(_ plaintext: [UInt8], aad: [UInt8]) throws(HPKEError) -> [UInt8] {
        let nonce = try state.takeNonce()
        return ChaChaPoly.seal(plaintext, key: state.schedule.key, nonce: nonce, aad: aad)
    }

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
    /// - Source: RFC 9180 section 5.1.1, `SetupBaseR`.
    package init(
        encapsulatedKey: [UInt8],
        recipient: borrowing X25519PrivateKey,
        info: [UInt8]
    ) throws(HPKEError) {
        let sharedSecret = try DHKEM.decapsulate(encapsulatedKey, with: recipient)
        state = ContextState(schedule: try KeySchedule(sharedSecret: sharedSecret, info: info))
    }

    /// The counter moves only when the message opens (RFC 9180 section 5.2), so a forgery does not shut out the next.
    ///
    /// - Returns: ciphertext - 16 bytes.
    /// - Throws: `.openFailed`, `.messageLimitReached`.
    package mutating func open(_ ciphertext: ArraySlice<UInt8>, aad: [UInt8]) throws(HPKEError) -> [UInt8] {
        let nonce = try state.nonce()
        do {
            let plaintext = try ChaChaPoly.open(ciphertext, key: state.schedule.key, nonce: nonce, aad: aad)
            state.sequence += 1
            return plaintext
        } catch {
            throw .openFailed
        }
    }

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

    mutating func takeNonce() throws(HPKEError) -> [UInt8] {
        let nonce = try nonce()
        sequence += 1
        return nonce
    }

    /// - Source: RFC 9180 section 5.3.
    func export(context: [UInt8], byteCount: Int) throws(HPKEError) -> SecretBytes {
        try LabeledHKDF.hpke.expand(schedule.exporterSecret, label: "sec", info: context, byteCount: byteCount)
    }
}

extension HPKE {
    /// The nonce of the `sequence`-th message: base nonce XOR the big-endian counter.
    ///
    /// - Parameters:
    ///   - base: 12 bytes (Nn of ChaCha20-Poly1305), from the key schedule.
    ///   - sequence: 0 for the first message.
    /// - Returns: 12 bytes.
    /// - Throws: `.messageLimitReached` rather than ever repeat a nonce.
    /// - Source: RFC 9180 section 5.2, `ComputeNonce`.
    static func nonce(base: [UInt8], sequence: UInt64) throws(HPKEError) -> [UInt8] {
        precondition(base.count == ChaChaPoly.nonceByteCount)
        guard sequence < .max else { throw .messageLimitReached }
        var nonce = base
        for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: sequence >> (8 * index)) }
        return nonce
    }
}
