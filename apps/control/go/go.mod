module example.com/control

go 1.24

require example.com/torture v0.0.0

replace example.com/torture => ../../../examples/app/go
