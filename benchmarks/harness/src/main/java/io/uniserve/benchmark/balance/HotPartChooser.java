package io.uniserve.benchmark.balance;

/**
 * Chooser of the part that a query asks: a share of the queries ask the hot part, the others any other part. The n-th query asks the same
 * part in every run.
 *
 * @param parts number of parts, at least 2
 * @param hot number of the hot part, from 0
 * @param share share of queries of the hot part, 0 to 1
 */
public record HotPartChooser(int parts, int hot, double share) {
    private static final long MIX = 0x9e3779b97f4a7c15L;

    public HotPartChooser {
        if (parts < 2 || hot < 0 || hot >= parts || !(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("part " + hot + " of " + parts + ", share " + share);
        }
    }

    /** Returns the part of the n-th query. */
    public int choose(long n) {
        long mixed = (n + 1) * MIX;
        mixed = (mixed ^ (mixed >>> 32)) * MIX;
        double uniform = (mixed >>> 11) * 0x1.0p-53;
        if (uniform < share) {
            return hot;
        }
        int other = (int) Math.floorMod(mixed >>> 17, (long) parts - 1);
        return other < hot ? other : other + 1;
    }
}
