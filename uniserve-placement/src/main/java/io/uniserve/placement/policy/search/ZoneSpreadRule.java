package io.uniserve.placement.policy.search;

import java.util.Arrays;

/**
 * Zone rule: an actor's replicas are in as many different zones as rf and the number of zones allow. No step of the search may violate it
 * further.
 */
final class ZoneSpreadRule {
    private final SearchState s;
    private final int required;
    private final boolean active;

    ZoneSpreadRule(SearchState s) {
        this.s = s;
        int[] all = new int[s.servers];
        Arrays.setAll(all, s.in::zone);
        long zones = Arrays.stream(all).distinct().count();
        required = (int) Math.min(s.in.rf(), zones);
        active = required > 1 && zones < s.servers;
    }

    /** False if every server is a zone of its own, or if rf is 1: then the rule has no effect. */
    boolean isActive() {
        return active;
    }

    /** Returns the number of zones with a replica of the actor. */
    private int spread(int actor) {
        int zones = 0;
        for (int p = 0; p < s.hosts[actor]; p++) {
            zones += firstOfZone(actor, p) ? 1 : 0;
        }
        return zones;
    }

    private boolean firstOfZone(int actor, int position) {
        int zone = s.in.zone(s.host[actor][position]);
        for (int p = 0; p < position; p++) {
            if (s.in.zone(s.host[actor][p]) == zone) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of zones that the actor's replicas should have in addition. */
    int missingZones(int actor) {
        return active ? Math.max(0, required - spread(actor)) : 0;
    }

    /** Returns the number of actors in fewer zones than possible. */
    int actorsInTooFewZones() {
        int n = 0;
        for (int i = 0; i < s.actors && active; i++) {
            n += spread(i) < Math.min(required, s.hosts[i]) ? 1 : 0;
        }
        return n;
    }

    /** True if the server's zone has a replica of the actor. */
    boolean isZoneUsed(int actor, int server) {
        for (int p = 0; p < s.hosts[actor]; p++) {
            if (s.in.zone(s.host[actor][p]) == s.in.zone(server)) {
                return true;
            }
        }
        return false;
    }

    /** True if the replica may move to the other server. */
    boolean mayMove(int actor, int from, int to) {
        if (!active || s.in.zone(from) == s.in.zone(to) || spread(actor) > required) {
            return true;
        }
        return hasOtherInZone(actor, from) || !isZoneUsed(actor, to);
    }

    /** True if the replica may be dropped. */
    boolean mayDrop(int actor, int from) {
        return !active || spread(actor) > required || hasOtherInZone(actor, from);
    }

    /** Returns the position of a replica whose zone has another one, with the least load; -1 if there is none. */
    int redundantReplica(int actor) {
        int best = -1;
        for (int p = 0; p < s.hosts[actor]; p++) {
            if (hasOtherInZone(actor, s.host[actor][p]) && (best < 0 || s.loadOf[actor][p] < s.loadOf[actor][best])) {
                best = p;
            }
        }
        return best < 0 ? -1 : s.host[actor][best];
    }

    private boolean hasOtherInZone(int actor, int server) {
        for (int p = 0; p < s.hosts[actor]; p++) {
            int j = s.host[actor][p];
            if (j != server && s.in.zone(j) == s.in.zone(server)) {
                return true;
            }
        }
        return false;
    }
}
