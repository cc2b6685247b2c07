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
        /// The app lacks the background mode for calls.
        case unentitled
        /// The call already exists, and continues unchanged.
        case callUUIDAlreadyExists
        /// A Focus keeps it from ringing.
        case filteredByDoNotDisturb
        /// The person has blocked the caller.
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
    /// The app lacks the background mode for calls.
    public static var unentitled: Code { .unentitled }
    /// The call already exists, and continues unchanged.
    public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
    /// A Focus keeps it from ringing.
    public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
    /// The person has blocked the caller.
    public static var filteredByBlockList: Code { .filteredByBlockList }
}
