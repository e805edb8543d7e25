# One step, which each apply makes anew.
variable "step" { type = string }

resource "terraform_data" "step" {
  triggers_replace = [var.step]
  provisioner "local-exec" { command = "echo begin ${var.step}; sleep 2; echo done ${var.step}" }
}
