@_exported import Firewheel
