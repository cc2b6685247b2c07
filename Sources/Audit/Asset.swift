/// Something that a party may or may not have: a row of the table.
package enum Asset: String, CaseIterable, Sendable {
    /// Title, text, conversation, the sender's name.
    case words
    case sender
    /// Name, key and content of an attachment.
    case attachment
    case fileAddress = "file address"
    case sealedFile = "sealed file"
    case envelope = "sealed bytes"
    case collapseWord = "collapse id"
    case capability
    case deviceToken = "device token"
    case deviceID = "device id"
    case identity
    case trace
    case deviceKeys = "device's keys"
    case senderKey = "sender's key"
    case relayKeys = "relay's keys"
    /// Of a text or an attachment; compared, not searched for.
    case length
}
