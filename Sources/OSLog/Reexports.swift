// Left out: the reading of logs (`OSLogStore`).
// Source: https://developer.apple.com/documentation/oslog
@_exported public import os
