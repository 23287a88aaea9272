/// The version of this library, as `User-Agent` says it.
let firewheelVersion = "0.1.0"
