//! SHA-256 and AES-256-GCM of zig's standard library, for the runner; crypto.h says what they do.
const std = @import("std");
const Sha256 = std.crypto.hash.sha2.Sha256;
const Gcm = std.crypto.aead.aes_gcm.Aes256Gcm;

const State = extern struct { bytes: [256]u8 align(16) };

comptime {
    std.debug.assert(@sizeOf(Sha256) <= @sizeOf(State) and @alignOf(Sha256) <= @alignOf(State));
}

fn hash(state: *State) *Sha256 {
    return @ptrCast(state);
}

export fn runner_sha256_start(state: *State) void {
    hash(state).* = Sha256.init(.{});
}

export fn runner_sha256_add(state: *State, data: [*]const u8, size: usize) void {
    hash(state).update(data[0..size]);
}

export fn runner_sha256_end(state: *State, digest: *[32]u8) void {
    hash(state).final(digest);
}

export fn runner_decrypt(
    data: [*]u8,
    size: usize,
    tag: *const [16]u8,
    vector: *const [12]u8,
    key: *const [32]u8,
) bool {
    Gcm.decrypt(data[0..size], data[0..size], tag.*, "", vector.*, key.*) catch return false;
    return true;
}
