-- Lists the holds: of each its member, and the ms after which it ends, -1 for never.
local t = redis.call('TIME')
local now, out = t[1] * 1000 + t[2] / 1000, {}
local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #members, 2 do
  local ends = tonumber(members[i + 1])
  if ends == math.huge then
    table.insert(out, {members[i], '-1'})
  elseif ends > now then
    table.insert(out, {members[i], string.format('%.0f', math.ceil(ends - now))})
  end
end
return out
