/// Why a value is not one of Apple's. Says what was wrong and where, never what was there.
public enum APNSError: Error, Equatable {
    case deviceTokenEmpty
    case deviceTokenTooLong(byteCount: Int, byteCountMax: Int)
    /// Half a byte is left over.
    case deviceTokenOddLength(characterCount: Int)
    /// Something other than `0-9a-fA-F` stands there.
    case deviceTokenNotHex(offset: Int)
    case topicEmpty
    case topicTooLong(byteCount: Int, byteCountMax: Int)
    /// Something other than `A-Z a-z 0-9 - .` stands there.
    case topicCharacter(offset: Int)
    case collapseIDEmpty
    case collapseIDTooLong(byteCount: Int, byteCountMax: Int)
    /// A control character stands there: no header may carry it.
    case collapseIDCharacter(offset: Int)
    case channelIDEmpty
    case channelIDTooLong(byteCount: Int, byteCountMax: Int)
    /// Something other than base64 stands there.
    case channelIDCharacter(offset: Int)
    /// Not 10 ASCII letters and digits.
    case keyIDMalformed
    /// Not 10 ASCII letters and digits.
    case teamIDMalformed
}
