package io.uniserve.testkit.simulation.check;

import java.util.List;

/**
 * The numbers that a table with atomic updates had, one after the other: each was put in the place of the one before, at a
 * version of it. Versions go on, so a version above that one and below the first of the new number is lost for ever.
 */
public final class TableTimelines {
    private final List<TableTimeline> eras;

    /** @param eras in their order, at least one */
    public TableTimelines(List<TableTimeline> eras) {
        this.eras = List.copyOf(eras);
    }

    /** A table that was never replaced; its number need not be known. */
    public static TableTimelines single() {
        return new TableTimelines(List.of(new TableTimeline(0, 0, 0)));
    }

    /**
     * A table's time under one number.
     *
     * @param base the version of the number before at which it began; 0 for the first
     * @param first the first version that may be given out under it; 0 for the first number
     */
    public record TableTimeline(long tableId, long base, long first) {}

    /** How many there are. */
    public int count() {
        return eras.size();
    }

    TableTimeline get(int era) {
        return eras.get(era);
    }

    /** The era in which a version was given out. */
    int ofVersion(long version) {
        int era = 0;
        while (era + 1 < eras.size() && eras.get(era + 1).first() <= version) {
            era++;
        }
        return era;
    }

    /** The era of a table's number; -1 where there was none of this number, 0 where either number is not known. */
    int ofTable(long tableId) {
        for (int era = 0; era < eras.size(); era++) {
            long number = eras.get(era).tableId();
            if (tableId == 0 || number == 0 || number == tableId) {
                return era;
            }
        }
        return -1;
    }

    /** True for a version that a later number did not take over. */
    boolean lost(long version) {
        return eras.stream()
                .anyMatch(tableTimeline -> version > tableTimeline.base() && version < tableTimeline.first());
    }

    /** False for a version that nobody could be shown under the number of this era. */
    boolean shows(int era, long version) {
        boolean older = version < eras.get(era).base();
        boolean lostBefore =
                version > eras.get(era).base() && version < eras.get(era).first();
        boolean later = era + 1 < eras.size() && version >= eras.get(era + 1).first();
        return !older && !lostBefore && !later;
    }

    @Override
    public String toString() {
        return eras.toString();
    }
}
