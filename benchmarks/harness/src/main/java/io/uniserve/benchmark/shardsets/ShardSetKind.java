package io.uniserve.benchmark.shardsets;

import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/** Kind of shard sets that a workload reads. Parts are numbered from 0; the parts 0 to {@code N - 1} of a server are neighbours. */
enum ShardSetKind {
    RANGES("ranges of 2 to 8 neighbouring actors"),
    SCATTERED("sets of 2 to 8 random actors"),
    MIXED("three sets of 2 neighbours to one scattered set of a quarter to half of all actors"),
    DRIFT("ranges of 2 to 8 neighbours; a tenth of the sets exchange their popularity half way");

    private static final int NARROWEST = 2;
    private static final int WIDEST = 8;
    /** One of this many sets of {@link #MIXED} is wide. */
    private static final int WIDE_EVERY = 4;

    private final String description;

    ShardSetKind(String description) {
        this.description = description;
    }

    /** Name on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Describes the sets for the output. */
    String description() {
        return description;
    }

    /** Returns the parts of the next set, in ascending order, at least two. */
    int[] draw(int number, int parts, Random random) {
        return switch (this) {
            case RANGES, DRIFT -> range(parts, width(parts, random), random);
            case SCATTERED -> scattered(parts, width(parts, random), random);
            case MIXED ->
                number % WIDE_EVERY == WIDE_EVERY - 1
                        ? scattered(parts, Math.max(NARROWEST, parts / 4 + random.nextInt(parts / 4 + 1)), random)
                        : range(parts, NARROWEST, random);
        };
    }

    private static int width(int parts, Random random) {
        return Math.min(parts, NARROWEST + random.nextInt(WIDEST - NARROWEST + 1));
    }

    private static int[] range(int parts, int width, Random random) {
        int from = random.nextInt(parts - width + 1);
        return IntStream.range(from, from + width).toArray();
    }

    private static int[] scattered(int parts, int width, Random random) {
        return random.ints(0, parts).distinct().limit(width).sorted().toArray();
    }

    /** Returns the kind with this name. Fails with a message for the option otherwise. */
    static ShardSetKind named(String name) {
        for (ShardSetKind kind : values()) {
            if (kind.label().equals(name)) {
                return kind;
            }
        }
        throw UniserveException.invalid("--workloads has \"" + name + "\": use "
                + String.join(
                        ", ",
                        List.of(values()).stream().map(ShardSetKind::label).toList()));
    }
}
