/// The version of this library, as sent in `User-Agent`.
let firewheelVersion = "0.1.0"
