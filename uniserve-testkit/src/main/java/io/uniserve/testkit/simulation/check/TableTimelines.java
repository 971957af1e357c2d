package io.uniserve.testkit.simulation.check;

import java.util.List;

/**
 * Sequence of the numbers of an atomic table, which are its eras. Each restoration replaces a number by the next one, at one version of the
 * old number. Version numbers are never reused: a version above that one and below the first version of the new number is lost for ever.
 */
public final class TableTimelines {
    private final List<TableTimeline> eras;

    /** @param eras in their order, at least one */
    public TableTimelines(List<TableTimeline> eras) {
        this.eras = List.copyOf(eras);
    }

    /** Timeline of a table that was never replaced. Its number may be unknown. */
    public static TableTimelines single() {
        return new TableTimelines(List.of(new TableTimeline(0, 0, 0)));
    }

    /**
     * Era of a table: its time under one number.
     *
     * @param base the version of the previous number from which it starts; 0 for the first number
     * @param first the first version that can be assigned under it; 0 for the first number
     */
    public record TableTimeline(long tableId, long base, long first) {}

    /** Number of eras. */
    public int count() {
        return eras.size();
    }

    TableTimeline get(int era) {
        return eras.get(era);
    }

    /** The era in which the version was assigned. */
    int ofVersion(long version) {
        int era = 0;
        while (era + 1 < eras.size() && eras.get(era + 1).first() <= version) {
            era++;
        }
        return era;
    }

    /** The era of a table number: -1 if no era has this number, 0 if either number is unknown. */
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

    /** False for a version that no reader can see under the number of this era. */
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
