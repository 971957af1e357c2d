package io.uniserve.placement.policy.search;

/** Move of another actor to make room: used if only servers that an actor cannot use have free memory. */
final class EjectionMove {
    private final SearchState state;

    private final ZoneSpreadRule zones;

    EjectionMove(SearchState s, ZoneSpreadRule zones) {
        this.state = s;
        this.zones = zones;
    }

    /** Makes room for the actor. Returns a server with memory for it that does not host it; -1 if no single move makes one. */
    int freeServer(int actor) {
        int bestOther = -1;
        int bestFrom = -1;
        int bestTo = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int to = 0; to < state.servers; to++) {
            double free = state.capacity[to] - state.usedMemory[to];
            for (int from = 0; from < state.servers && free > 0; from++) {
                if (from == to || state.isOn(actor, from)) {
                    continue;
                }
                for (int q = 0; q < state.actorCountOn[from]; q++) {
                    int other = state.actorsOn[from][q];
                    double cost = (state.isOnInitially(other, from) ? 1 : 0) + state.sets.excess(other, to);
                    boolean enough =
                            state.usedMemory[from] - state.memory[other] + state.memory[actor] <= state.capacity[from];
                    boolean may = enough && state.hasRoom(other, to) && !state.isOn(other, to);
                    if (cost < least && may && zones.mayMove(other, from, to)) {
                        least = cost;
                        bestOther = other;
                        bestFrom = from;
                        bestTo = to;
                    }
                }
            }
        }
        if (bestOther >= 0) {
            move(bestOther, bestFrom, bestTo);
        }
        return bestFrom;
    }

    private void move(int other, int from, int to) {
        double borne = state.loadOf[other][state.position(other, from)];
        state.drop(other, from);
        state.add(other, to);
        state.setFlow(other, to, borne);
    }
}
