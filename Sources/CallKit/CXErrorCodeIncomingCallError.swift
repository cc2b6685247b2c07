/// The domain of a `CXErrorCodeIncomingCallError`.
public let CXErrorDomainIncomingCall = "com.apple.CallKit.error.incomingcall"

/// Why a reported call is no new call on the screen.
///
/// - Source: https://developer.apple.com/documentation/callkit/cxerrorcodeincomingcallerror
public struct CXErrorCodeIncomingCallError: Error, CustomNSError, Hashable {
    /// The codes, with Apple's numbers.
    public enum Code: Int, Sendable {
        /// Any other reason.
        case unknown = 0
        /// The app lacks the background mode for calls.
        case unentitled
        /// The call is there already, and goes on as it is.
        case callUUIDAlreadyExists
        /// A Focus keeps it from ringing.
        case filteredByDoNotDisturb
        /// The person has blocked the caller.
        case filteredByBlockList

        /// Lets `catch CXErrorCodeIncomingCallError.callUUIDAlreadyExists` match, as with every error code of Apple's.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? CXErrorCodeIncomingCallError)?.code == code
        }
    }

    /// What went wrong.
    public let code: Code

    /// - Parameter code: What went wrong.
    public init(_ code: Code) { self.code = code }

    /// `CXErrorDomainIncomingCall`.
    public static var errorDomain: String { CXErrorDomainIncomingCall }

    /// The code's number.
    public var errorCode: Int { code.rawValue }

    /// Any other reason.
    public static var unknown: Code { .unknown }
    /// The app lacks the background mode for calls.
    public static var unentitled: Code { .unentitled }
    /// The call is there already, and goes on as it is.
    public static var callUUIDAlreadyExists: Code { .callUUIDAlreadyExists }
    /// A Focus keeps it from ringing.
    public static var filteredByDoNotDisturb: Code { .filteredByDoNotDisturb }
    /// The person has blocked the caller.
    public static var filteredByBlockList: Code { .filteredByBlockList }
}
