/// Rule of Apple's that a value breaks. Names the rule and the position, never the value.
public enum APNSError: Error, Equatable {
    case deviceTokenEmpty
    case deviceTokenTooLong(byteCount: Int, byteCountMax: Int)
    /// Half a byte is left over.
    case deviceTokenOddLength(characterCount: Int)
    /// Character outside `0-9a-fA-F`.
    case deviceTokenNotHex(offset: Int)
    case topicEmpty
    case topicTooLong(byteCount: Int, byteCountMax: Int)
    /// Character outside `A-Z a-z 0-9 - .`.
    case topicCharacter(offset: Int)
    case collapseIDEmpty
    case collapseIDTooLong(byteCount: Int, byteCountMax: Int)
    /// Control character, which no header may carry.
    case collapseIDCharacter(offset: Int)
    case channelIDEmpty
    case channelIDTooLong(byteCount: Int, byteCountMax: Int)
    /// Character outside base64.
    case channelIDCharacter(offset: Int)
    case keyIDMalformed
    case teamIDMalformed
}
