// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
internal import Platform

/// Center for notifications by name, of the process.
///
/// - Source: https://developer.apple.com/documentation/corefoundation/cfnotificationcenter
public final class CFNotificationCenter: Sendable {
    /// Unchecked: pointers of the observers, which only their callbacks use.
    @safe fileprivate struct Observer: @unchecked Sendable {
        let pointer: UnsafeRawPointer?
        let name: String?
        let object: UnsafeRawPointer?
        let callback: CFNotificationCallback
        let device: SimulatedDevice?
    }

    fileprivate static let darwin = CFNotificationCenter(isDarwin: true)
    fileprivate static let local = CFNotificationCenter(isDarwin: false)

    private let isDarwin: Bool
    private let observers = Guarded<[Observer]>([])

    private init(isDarwin: Bool) { self.isDarwin = isDarwin }

    fileprivate func add(_ observer: Observer) { observers.withLock { $0.append(observer) } }

    fileprivate func remove(_ pointer: UnsafeRawPointer?, name: String?, object: UnsafeRawPointer?) {
        observers.withLock { observers in
            observers.removeAll { observer in
                unsafe observer.pointer == pointer && (name == nil || observer.name == name)
                    && (object == nil || observer.object == object)
            }
        }
    }

    /// A Darwin notification has a name alone, and arrives on the main queue.
    fileprivate func post(_ name: String, object: UnsafeRawPointer?, userInfo: CFDictionary?) {
        let listening = observers.withLock { observers in
            observers.filter { observer in
                let isObject = unsafe isDarwin || observer.object == nil || observer.object == object
                return isObject && (observer.name == nil || observer.name == name)
            }
        }
        let name = CFNotificationName(rawValue: name)
        for observer in listening {
            let pointer = unsafe UnsafeMutableRawPointer(mutating: observer.pointer)
            guard isDarwin else {
                unsafe observer.callback(self, pointer, name, object, userInfo)
                continue
            }
            let call: @Sendable () -> Void = {
                unsafe observer.callback(self, UnsafeMutableRawPointer(mutating: observer.pointer), name, nil, nil)
            }
            DispatchQueue.main.async(execute: observer.device?.job(call) ?? call)
        }
    }
}

public struct CFNotificationName: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString

    public init(rawValue: CFString) { self.rawValue = rawValue }

    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }
}

public enum CFNotificationSuspensionBehavior: CFIndex, Sendable {
    case drop = 1
    case coalesce
    case hold
    case deliverImmediately
}

/// Called with center, observer, name, object and user info.
public typealias CFNotificationCallback = (
    CFNotificationCenter?, UnsafeMutableRawPointer?, CFNotificationName?, UnsafeRawPointer?, CFDictionary?
) -> Void

// swift-format-ignore
/// System's center, here the process's: no other process hears it.
///
/// - Source: https://developer.apple.com/documentation/corefoundation/cfnotificationcentergetdarwinnotifycenter()
public func CFNotificationCenterGetDarwinNotifyCenter() -> CFNotificationCenter! { .darwin }

// swift-format-ignore
public func CFNotificationCenterGetLocalCenter() -> CFNotificationCenter! { .local }

/// Adds an observer; no name is all of them, except in the Darwin center.
public func CFNotificationCenterAddObserver(
    _ center: CFNotificationCenter?,
    _ observer: UnsafeRawPointer?,
    _ callBack: CFNotificationCallback?,
    _ name: CFString?,
    _ object: UnsafeRawPointer?,
    _ suspensionBehavior: CFNotificationSuspensionBehavior
) {
    guard let center, let callBack = unsafe callBack else { return }
    if center === CFNotificationCenterGetDarwinNotifyCenter(), name == nil { return }
    unsafe center.add(
        CFNotificationCenter.Observer(
            pointer: observer,
            name: name,
            object: object,
            callback: callBack,
            device: .current
        )
    )
}

public func CFNotificationCenterRemoveObserver(
    _ center: CFNotificationCenter?,
    _ observer: UnsafeRawPointer?,
    _ name: CFNotificationName?,
    _ object: UnsafeRawPointer?
) {
    unsafe center?.remove(observer, name: name?.rawValue, object: object)
}

public func CFNotificationCenterRemoveEveryObserver(
    _ center: CFNotificationCenter?,
    _ observer: UnsafeRawPointer?
) {
    unsafe center?.remove(observer, name: nil, object: nil)
}

public func CFNotificationCenterPostNotification(
    _ center: CFNotificationCenter?,
    _ name: CFNotificationName?,
    _ object: UnsafeRawPointer?,
    _ userInfo: CFDictionary?,
    _ deliverImmediately: Bool
) {
    guard let name else { return }
    unsafe center?.post(name.rawValue, object: object, userInfo: userInfo)
}
