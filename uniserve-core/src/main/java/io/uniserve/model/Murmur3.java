package io.uniserve.model;

import io.uniserve.codec.Bytes;

/** MurmurHash3 x86 32 bits, seed 0. It is part of the data's format and must never change. */
final class Murmur3 {
    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;

    private Murmur3() {}

    static int hash32(Bytes data) {
        int hash = 0;
        int blocks = data.size() / 4;
        for (int i = 0; i < blocks; i++) {
            int at = i * 4;
            int k = data.at(at) & 0xff
                    | (data.at(at + 1) & 0xff) << 8
                    | (data.at(at + 2) & 0xff) << 16
                    | data.at(at + 3) << 24;
            hash = Integer.rotateLeft(hash ^ mix(k), 13) * 5 + 0xe6546b64;
        }
        int tail = 0;
        for (int i = data.size() - 1; i >= blocks * 4; i--) {
            tail = tail << 8 | data.at(i) & 0xff;
        }
        return finish(hash ^ mix(tail), data.size());
    }

    private static int mix(int k) {
        return Integer.rotateLeft(k * C1, 15) * C2;
    }

    private static int finish(int hash, int length) {
        int h = hash ^ length;
        h = (h ^ h >>> 16) * 0x85ebca6b;
        h = (h ^ h >>> 13) * 0xc2b2ae35;
        return h ^ h >>> 16;
    }
}
