public import Foundation

/// cryptokit/hpke
public enum HPKE {}

extension HPKE {
    /// cryptokit/hpke/errors
    public enum Errors: Error {
        /// cryptokit/hpke/errors/inconsistentparameters
        case inconsistentParameters
        /// cryptokit/hpke/errors/inconsistentciphersuiteandkey
        case inconsistentCiphersuiteAndKey
        /// cryptokit/hpke/errors/exportonlymode
        case exportOnlyMode
        /// cryptokit/hpke/errors/inconsistentpskinputs
        case inconsistentPSKInputs
        /// cryptokit/hpke/errors/expectedpsk
        case expectedPSK
        /// cryptokit/hpke/errors/unexpectedpsk
        case unexpectedPSK
        /// cryptokit/hpke/errors/outofrangesequencenumber
        case outOfRangeSequenceNumber
        /// cryptokit/hpke/errors/ciphertexttooshort
        case ciphertextTooShort
    }

    /// cryptokit/hpke/sender
    public struct Sender {
        private var context: HPKEContext

        /// cryptokit/hpke/sender/encapsulatedkey
        public let encapsulatedKey: Data

        /// cryptokit/hpke/sender/init(recipientkey:ciphersuite:info:)
        public init<PK: HPKEDiffieHellmanPublicKey>(
            recipientKey: PK,
            ciphersuite: Ciphersuite,
            info: Data
        ) throws {
            let shared = try DHKEM(ciphersuite.kem).encapsulate(to: recipientKey)
            try self.init(shared, HPKEContext(ciphersuite, mode: .base, shared.secret, info))
        }

        /// cryptokit/hpke/sender/init(recipientkey:ciphersuite:info:presharedkey:presharedkeyidentifier:)
        public init<PK: HPKEDiffieHellmanPublicKey>(
            recipientKey: PK,
            ciphersuite: Ciphersuite,
            info: Data,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws {
            let shared = try DHKEM(ciphersuite.kem).encapsulate(to: recipientKey)
            try self.init(shared, HPKEContext(ciphersuite, mode: .psk, shared.secret, info, psk, pskID))
        }

        /// cryptokit/hpke/sender/init(recipientkey:ciphersuite:info:authenticatedby:)
        public init<SK: HPKEDiffieHellmanPrivateKey>(
            recipientKey: SK.PublicKey,
            ciphersuite: Ciphersuite,
            info: Data,
            authenticatedBy authenticationKey: SK
        ) throws {
            let shared = try DHKEM(ciphersuite.kem).encapsulate(to: recipientKey, from: authenticationKey)
            try self.init(shared, HPKEContext(ciphersuite, mode: .auth, shared.secret, info))
        }

        /// cryptokit/hpke/sender/init(recipientkey:ciphersuite:info:authenticatedby:presharedkey:presharedkeyidentifier:)
        public init<SK: HPKEDiffieHellmanPrivateKey>(
            recipientKey: SK.PublicKey,
            ciphersuite: Ciphersuite,
            info: Data,
            authenticatedBy authenticationKey: SK,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws {
            let shared = try DHKEM(ciphersuite.kem).encapsulate(to: recipientKey, from: authenticationKey)
            try self.init(shared, HPKEContext(ciphersuite, mode: .authPSK, shared.secret, info, psk, pskID))
        }

        private init(_ shared: (secret: SymmetricKey, encapsulated: Data), _ context: HPKEContext) {
            self.context = context
            encapsulatedKey = shared.encapsulated
        }

        /// cryptokit/hpke/sender/seal(_:authenticating:)
        public mutating func seal<M: DataProtocol, AD: DataProtocol>(_ msg: M, authenticating aad: AD) throws -> Data {
            try context.seal(Array(msg), aad: Array(aad))
        }

        /// cryptokit/hpke/sender/seal(_:)
        public mutating func seal<M: DataProtocol>(_ msg: M) throws -> Data { try context.seal(Array(msg), aad: []) }

        /// cryptokit/hpke/sender/exportsecret(context:outputbytecount:)
        public func exportSecret<Context: DataProtocol>(
            context: Context,
            outputByteCount: Int
        ) throws -> SymmetricKey {
            self.context.export(Array(context), byteCount: outputByteCount)
        }
    }

    /// cryptokit/hpke/recipient
    public struct Recipient {
        private var context: HPKEContext

        /// cryptokit/hpke/recipient/init(privatekey:ciphersuite:info:encapsulatedkey:)
        public init<SK: HPKEDiffieHellmanPrivateKey>(
            privateKey: SK,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data
        ) throws {
            let secret = try DHKEM(ciphersuite.kem).decapsulate(encapsulatedKey, with: privateKey)
            context = try HPKEContext(ciphersuite, mode: .base, secret, info)
        }

        /// cryptokit/hpke/recipient/init(privatekey:ciphersuite:info:encapsulatedkey:presharedkey:presharedkeyidentifier:)
        public init<SK: HPKEDiffieHellmanPrivateKey>(
            privateKey: SK,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws {
            let secret = try DHKEM(ciphersuite.kem).decapsulate(encapsulatedKey, with: privateKey)
            context = try HPKEContext(ciphersuite, mode: .psk, secret, info, psk, pskID)
        }

        /// cryptokit/hpke/recipient/init(privatekey:ciphersuite:info:encapsulatedkey:authenticatedby:)
        public init<SK: HPKEDiffieHellmanPrivateKey>(
            privateKey: SK,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data,
            authenticatedBy authenticationKey: SK.PublicKey
        ) throws {
            let kem = DHKEM(ciphersuite.kem)
            let secret = try kem.decapsulate(encapsulatedKey, with: privateKey, from: authenticationKey)
            context = try HPKEContext(ciphersuite, mode: .auth, secret, info)
        }

        // swift-format-ignore
        /// cryptokit/hpke/recipient/init(privatekey:ciphersuite:info:encapsulatedkey:authenticatedby:presharedkey:presharedkeyidentifier:)
        public init<SK: HPKEDiffieHellmanPrivateKey>(
            privateKey: SK,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data,
            authenticatedBy authenticationKey: SK.PublicKey,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws {
            let kem = DHKEM(ciphersuite.kem)
            let secret = try kem.decapsulate(encapsulatedKey, with: privateKey, from: authenticationKey)
            context = try HPKEContext(ciphersuite, mode: .authPSK, secret, info, psk, pskID)
        }

        /// cryptokit/hpke/recipient/open(_:authenticating:)
        public mutating func open<C: DataProtocol, AD: DataProtocol>(
            _ ciphertext: C,
            authenticating aad: AD
        ) throws -> Data {
            try context.open(Array(ciphertext), aad: Array(aad))
        }

        /// cryptokit/hpke/recipient/open(_:)
        public mutating func open<C: DataProtocol>(_ ciphertext: C) throws -> Data {
            try context.open(Array(ciphertext), aad: [])
        }

        /// cryptokit/hpke/recipient/exportsecret(context:outputbytecount:)
        public func exportSecret<Context: DataProtocol>(
            context: Context,
            outputByteCount: Int
        ) throws -> SymmetricKey {
            self.context.export(Array(context), byteCount: outputByteCount)
        }
    }
}
