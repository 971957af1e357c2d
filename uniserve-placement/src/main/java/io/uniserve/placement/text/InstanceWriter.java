package io.uniserve.placement.text;

import io.uniserve.placement.model.ShardSet;

/** Writer of placement problems in the format of {@link InstanceReader}. */
public final class InstanceWriter {
    private InstanceWriter() {}

    /** Returns the whole problem as text. Each actor needs a first server. */
    public static String write(PlacementInstance instance) {
        StringBuilder out = new StringBuilder();
        int actors = instance.actors();
        out.append(actors).append(' ').append(instance.servers()).append(' ');
        out.append(instance.slots()).append(' ').append(instance.rf()).append(' ');
        out.append(instance.rounds().size()).append('\n');
        for (int i = 0; i < actors; i++) {
            out.append(i == 0 ? "" : " ").append(instance.initial().server(i, 0));
        }
        out.append('\n');
        for (PlacementInstance.Round round : instance.rounds()) {
            for (int i = 0; i < actors; i++) {
                out.append(i == 0 ? "" : " ").append(round.loads()[i]);
            }
            out.append('\n').append(round.sets().size()).append('\n');
            for (ShardSet set : round.sets()) {
                out.append(set.frequency()).append(' ').append(set.actors().length);
                for (int actor : set.actors()) {
                    out.append(' ').append(actor);
                }
                out.append('\n');
            }
        }
        return out.toString();
    }
}
