package io.uniserve.simulator.check;

import java.util.List;

/**
 * Sequence of the numbers of an atomic table, which are its eras. Each restoration replaces a number by the next one, at one version of the
 * old number. Version numbers are never reused: a version above that one and below the first version of the new number is lost for ever.
 */
public final class TableTimelines {
    private final List<TableTimeline> timelines;

    /** @param eras in their order, at least one */
    public TableTimelines(List<TableTimeline> eras) {
        this.timelines = List.copyOf(eras);
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
        return timelines.size();
    }

    /** The era at this position. */
    public TableTimeline get(int era) {
        return timelines.get(era);
    }

    /** The era in which the version was assigned. */
    int timelineOfVersion(long version) {
        int era = 0;
        while (era + 1 < timelines.size() && timelines.get(era + 1).first() <= version) {
            era++;
        }
        return era;
    }

    /** The era of a table number: -1 if no era has this number, 0 if either number is unknown. */
    public int timelineOfTable(long tableId) {
        for (int era = 0; era < timelines.size(); era++) {
            long number = timelines.get(era).tableId();
            if (tableId == 0 || number == 0 || number == tableId) {
                return era;
            }
        }
        return -1;
    }

    /** True for a version that a later number did not take over. */
    public boolean isLost(long version) {
        return timelines.stream()
                .anyMatch(tableTimeline -> version > tableTimeline.base() && version < tableTimeline.first());
    }

    /** False for a version that no reader can see under the number of this era. */
    boolean shows(int era, long version) {
        boolean older = version < timelines.get(era).base();
        boolean lostBefore = version > timelines.get(era).base()
                && version < timelines.get(era).first();
        boolean later =
                era + 1 < timelines.size() && version >= timelines.get(era + 1).first();
        return !older && !lostBefore && !later;
    }

    @Override
    public String toString() {
        return timelines.toString();
    }
}
