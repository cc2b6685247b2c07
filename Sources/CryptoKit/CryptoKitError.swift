// Each documentation comment of this module is the declaration's page below https://developer.apple.com/documentation/.

/// cryptokit/cryptokiterror
public enum CryptoKitError: Error, Equatable, Hashable {
    /// cryptokit/cryptokiterror/incorrectkeysize
    case incorrectKeySize
    /// cryptokit/cryptokiterror/incorrectparametersize
    case incorrectParameterSize
    /// cryptokit/cryptokiterror/authenticationfailure
    case authenticationFailure
    /// cryptokit/cryptokiterror/underlyingcorecryptoerror(error:)
    case underlyingCoreCryptoError(error: Int32)
    /// cryptokit/cryptokiterror/wrapfailure
    case wrapFailure
    /// cryptokit/cryptokiterror/unwrapfailure
    case unwrapFailure
    /// cryptokit/cryptokiterror/invalidparameter
    case invalidParameter
}

/// cryptokit/cryptokitasn1error
public enum CryptoKitASN1Error: Error, Equatable, Hashable {
    /// cryptokit/cryptokitasn1error/invalidfieldidentifier
    case invalidFieldIdentifier
    /// cryptokit/cryptokitasn1error/unexpectedfieldtype
    case unexpectedFieldType
    /// cryptokit/cryptokitasn1error/invalidobjectidentifier
    case invalidObjectIdentifier
    /// cryptokit/cryptokitasn1error/invalidasn1object
    case invalidASN1Object
    /// cryptokit/cryptokitasn1error/invalidasn1integerencoding
    case invalidASN1IntegerEncoding
    /// cryptokit/cryptokitasn1error/truncatedasn1field
    case truncatedASN1Field
    /// cryptokit/cryptokitasn1error/unsupportedfieldlength
    case unsupportedFieldLength
    /// cryptokit/cryptokitasn1error/invalidpemdocument
    case invalidPEMDocument
}
