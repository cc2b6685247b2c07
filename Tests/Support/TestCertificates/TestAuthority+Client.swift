import COpenSSL

extension TestAuthority {
    /// An extension that OpenSSL has no name for, such as Apple's.
    public struct Extension: Sendable {
        let identifier: String
        let value: [UInt8]

        /// - Parameters:
        ///   - identifier: an object identifier in digits.
        ///   - value: DER, without the OCTET STRING that goes around it.
        public init(identifier: String, value: [UInt8]) {
            self.identifier = identifier
            self.value = value
        }
    }

    /// The kind of a client's key.
    public enum KeyKind: Sendable {
        /// An elliptic curve key: quick to make.
        case p256
        /// The kind of Apple's certificates.
        case rsa2048
    }

    /// A client's certificate and key.
    ///
    /// - Parameters:
    ///   - name: the subject's CN.
    ///   - userID: the subject's UID.
    ///   - validity: seconds from now.
    /// - Throws: `Failure`.
    /// - Returns: a certificate that this authority signed, for TLS clients only.
    public func issueClient(
        name: String = "Test client",
        userID: String? = nil,
        extensions: [Extension] = [],
        validity: ClosedRange<Int> = -day...day * 30,
        keyKind: KeyKind = .p256
    ) throws -> Identity {
        let key = unsafe try Self.makeKey(keyKind)
        defer { unsafe EVP_PKEY_free(key) }
        return try unsafe issue(name, validity: validity, key) { issued in
            if let userID {
                let subject = unsafe X509_get_subject_name(issued)
                guard unsafe X509_NAME_add_entry_by_txt(subject, "UID", MBSTRING_UTF8, userID, -1, -1, 0) == 1 else {
                    throw Failure(call: "X509_NAME_add_entry_by_txt")
                }
            }
            unsafe try Self.addExtension(NID_ext_key_usage, "clientAuth", to: issued)
            for made in extensions { try unsafe Self.add(made, to: issued) }
        }
    }

    private static func makeKey(_ kind: KeyKind) throws -> OpaquePointer {
        guard kind == .rsa2048 else { return unsafe try makeKey() }
        guard let key = unsafe copenssl_generate_rsa2048() else { throw Failure(call: "EVP_RSA_gen") }
        return unsafe key
    }

    private static func add(_ wanted: Extension, to certificate: OpaquePointer) throws {
        guard let object = unsafe OBJ_txt2obj(wanted.identifier, 1) else { throw Failure(call: "OBJ_txt2obj") }
        defer { unsafe ASN1_OBJECT_free(object) }
        guard let value = unsafe ASN1_OCTET_STRING_new() else { throw Failure(call: "ASN1_OCTET_STRING_new") }
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        guard unsafe ASN1_OCTET_STRING_set(value, wanted.value, Int32(wanted.value.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
        else { throw Failure(call: "X509_EXTENSION_create_by_OBJ") }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw Failure(call: "X509_add_ext") }
    }
}
