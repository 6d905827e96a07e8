"""What a good motion keeps to. Millimetres are for a leg of REFERENCE_LEG_M and scale with the leg."""

REFERENCE_LEG_M = 0.9

SLIDE_MM = 1.0
PENETRATION_MM = 1.0
# A claimed plant that hangs in the air does not touch; rest poses stand on their ground within about this.
FLOAT_MM = 3.0
# A foot that rolls stays within a few millimetres of one place while it is low; more is skating outside the
# claims.
SKID_MM = 25.0
# Largest hip-ankle distance over the length of the straight leg.
OVER_REACH = 0.999
# Shares of leg length, and of the fastest bone's speed.
SEAM_POSITION = 1e-5
SEAM_ANGLE_DEG = 0.01
SEAM_SLOPE = 0.01
SPEED_ERROR = 0.001
# Peaks over those of people at the same speed.
KNEE_RATIO = 1.3
# A runner's mean curve, of many that do not bend at quite the same moment, is smoother than anybody's own.
RUN_KNEE_ACCELERATION = 1.5
# The same where a motion turns, starts, stops or goes aside; and on ground that is not level.
KNEE_RATIO_ON_WAYS = 1.5
KNEE_RATIO_ON_GROUND = 2.0
# Relative, from people's stride, cadence and stance at the same speed.
DEVIATION = 0.10
