package io.uniserve.port.solr;

import java.util.stream.LongStream;

/** Seeds of random queries: those of the day of the build, or one, {@code -Duniserve.parity.seed=N}. */
final class ParitySeeds {
    private static final int A_DAY = 10;

    private ParitySeeds() {}

    static LongStream ofTheDay() {
        Long one = Long.getLong("uniserve.parity.seed");
        long day = Long.getLong("uniserve.parity.day", 20261121);
        return one != null ? LongStream.of(one) : LongStream.range(0, A_DAY).map(i -> day * A_DAY + i);
    }
}
