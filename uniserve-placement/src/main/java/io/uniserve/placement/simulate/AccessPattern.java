package io.uniserve.placement.simulate;

import java.util.SplittableRandom;

/** Workload: the actors that queries read, per interval. */
public enum AccessPattern {
    /** Ranges of 2 to 8 neighbours with a random start. */
    SCANS {
        @Override
        int[] query(SplittableRandom random, int actors, int interval) {
            return range(random.nextInt(actors), random.nextInt(2, 9), actors);
        }
    },
    /** Seven of eight queries read an eighth of the actors. */
    HOTSPOT {
        @Override
        int[] query(SplittableRandom random, int actors, int interval) {
            int hot = Math.max(1, actors / 8);
            int first = random.nextInt(8) < 7 ? random.nextInt(hot) : random.nextInt(actors);
            return range(first, random.nextInt(1, 5), actors);
        }
    },
    /** By Zipf's law around a point that moves by an eighth of the actors every fifth interval. */
    SKEW {
        @Override
        int[] query(SplittableRandom random, int actors, int interval) {
            int centre = (int) ((long) (interval / 5) * actors / 8 % actors);
            double u = random.nextDouble();
            int distance = (int) Math.min(actors - 1, Math.pow(actors, u) - 1);
            return range((centre + distance) % actors, random.nextInt(1, 5), actors);
        }
    },
    /** Mostly the newest actors: time advances every interval, queries read from the newest backwards. */
    TIME {
        @Override
        int[] query(SplittableRandom random, int actors, int interval) {
            int step = Math.max(1, actors / 64);
            int head = (int) Math.min(actors - 1L, actors / 2 + (long) interval * step);
            int age = (int) Math.min(head, -Math.log(1 - random.nextDouble()) * 2 * step);
            int length = Math.min(age + 1, random.nextInt(1, 9));
            int[] set = new int[length];
            for (int q = 0; q < length; q++) {
                set[q] = head - age + q;
            }
            return set;
        }
    };

    abstract int[] query(SplittableRandom random, int actors, int interval);

    private static int[] range(int first, int length, int actors) {
        int n = Math.min(length, actors);
        int start = Math.min(first, actors - n);
        int[] set = new int[n];
        for (int q = 0; q < n; q++) {
            set[q] = start + q;
        }
        return set;
    }
}
