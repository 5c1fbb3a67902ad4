-- Five bodies under gravity, in double precision.
local bodies = {
    {0, 0, 0, 0, 0, 0, 39.5}, {4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.038}, {8.3, 4.1, -0.4, -1.0, 1.8, 0.008, 0.011},
    {12.9, -15.1, -0.2, 1.1, 0.9, -0.01, 0.0017}, {15.4, -25.9, 0.2, 1.0, 0.6, -0.03, 0.002},
}
local function advance(dt)
    for i = 1, #bodies do
        local a = bodies[i]
        for k = i + 1, #bodies do
            local b = bodies[k]
            local x, y, z = a[1] - b[1], a[2] - b[2], a[3] - b[3]
            local square = x * x + y * y + z * z
            local pull = dt / (square * math.sqrt(square))
            a[4], a[5], a[6] = a[4] - x * b[7] * pull, a[5] - y * b[7] * pull, a[6] - z * b[7] * pull
            b[4], b[5], b[6] = b[4] + x * a[7] * pull, b[5] + y * a[7] * pull, b[6] + z * a[7] * pull
        end
    end
    for _, body in ipairs(bodies) do
        for i = 1, 3 do body[i] = body[i] + dt * body[i + 3] end
    end
end
for _ = 1, 8000 do advance(0.01) end
print(("%.9f %.9f"):format(bodies[1][1], bodies[5][6]))
