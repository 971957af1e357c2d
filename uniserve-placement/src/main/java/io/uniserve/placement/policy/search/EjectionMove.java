package io.uniserve.placement.policy.search;

/** Move of another actor to make room: used if only servers that an actor cannot use have free memory. */
final class EjectionMove {
    private final SearchState s;

    private final ZoneRule zones;

    EjectionMove(SearchState s, ZoneRule zones) {
        this.s = s;
        this.zones = zones;
    }

    /** Makes room for the actor. Returns a server with memory for it that does not host it; -1 if no single move makes one. */
    int freeServer(int actor) {
        int bestOther = -1;
        int bestFrom = -1;
        int bestTo = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int to = 0; to < s.servers; to++) {
            double free = s.capacity[to] - s.usedMemory[to];
            for (int from = 0; from < s.servers && free > 0; from++) {
                if (from == to || s.isOn(actor, from)) {
                    continue;
                }
                for (int q = 0; q < s.actorCountOn[from]; q++) {
                    int other = s.actorsOn[from][q];
                    double cost = (s.isOnInitially(other, from) ? 1 : 0) + s.sets.excess(other, to);
                    boolean enough = s.usedMemory[from] - s.memory[other] + s.memory[actor] <= s.capacity[from];
                    boolean may = enough && s.hasRoom(other, to) && !s.isOn(other, to);
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
        double borne = s.loadOf[other][s.position(other, from)];
        s.drop(other, from);
        s.add(other, to);
        s.setFlow(other, to, borne);
    }
}
