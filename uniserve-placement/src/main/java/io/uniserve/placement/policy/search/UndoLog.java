package io.uniserve.placement.policy.search;

import java.util.Arrays;

/** Undo log of changes: a stack of (kind, actor, server, value). */
final class UndoLog {
    static final int ADDED = 0;
    static final int DROPPED = 1;
    static final int FLOW = 2;
    static final int LIMIT = 3;

    private int[] words = new int[3 * 256];
    private double[] values = new double[256];
    private int size;

    int size() {
        return size;
    }

    void push(int kind, int actor, int server, double value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
            words = Arrays.copyOf(words, 6 * size);
        }
        words[3 * size] = kind;
        words[3 * size + 1] = actor;
        words[3 * size + 2] = server;
        values[size++] = value;
    }

    /** Removes the last entry; it can be read until the next push. */
    void pop() {
        size--;
    }

    int kind() {
        return words[3 * size];
    }

    int actor() {
        return words[3 * size + 1];
    }

    int server() {
        return words[3 * size + 2];
    }

    double value() {
        return values[size];
    }

    void clear() {
        size = 0;
    }
}
