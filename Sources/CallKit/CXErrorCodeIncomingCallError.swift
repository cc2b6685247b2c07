/// Domain of a `CXErrorCodeIncomingCallError`.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"

/// Reason why a reported call does not become a new call on the screen.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxerrorcodeincomingcallerror
public struct CXErrorCodeIncomingCallError: Error, CustomNSError, Hashable {
    /// Codes, with Apple's numbers.
    public enum Code: Int, Sendable {
        /// Any other reason.
        case unknown = 0
        /// App without the background mode for calls.
        case unentitled
        /// Existing call, which continues unchanged.
        case callUUIDAlreadyExists
        /// Kept from ringing by a Focus.
        case filteredByDoNotDisturb
        /// Caller blocked by the person.
        case filteredByBlockList

        /// Lets `catch CXErrorCodeIncomingCallError.callUUIDAlreadyExists` match, as with every Apple error code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? CXErrorCodeIncomingCallError)?.code == code
        }
    }

    /// Error's code.
    public let code: Code

    /// Creates an error.
    public init(_ code: Code) { self.code = code }

    /// `CXErrorDomainIncomingCall`.
    public static var errorDomain: String { CXErrorDomainIncomingCall }

    /// Code's number.
    public var errorCode: Int { code.rawValue }

    /// Any other reason.
    public static var unknown: Code { .unknown }
    /// App without the background mode for calls.
    public static var unentitled: Code { .unentitled }
    /// Existing call, which continues unchanged.
    public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
    /// Kept from ringing by a Focus.
    public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
    /// Caller blocked by the person.
    public static var filteredByBlockList: Code { .filteredByBlockList }
}
