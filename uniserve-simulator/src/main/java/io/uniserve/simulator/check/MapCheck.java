package io.uniserve.simulator.check;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.registry.SimEnsemble.Applied;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Check of I8 and I13 in the registry. Each write of a coordinator checks the newest term, and epochs never fall. A change of primary or
 * ISR has a new epoch, and its primary comes from the ISR before. Exceptions are a restoration from the backup, and the return to the ISR
 * before a takeover that has not started.
 */
public final class MapCheck implements SimEnsemble.Listener {
    private final ViolationCollector violations;
    private long term = -1;
    private String leader = "";

    public MapCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    @Override
    public void onCommitted(String session, long zxid, List<Applied> applied, Set<String> changed) {
        boolean guarded = false;
        for (Applied one : applied) {
            if (one.op().path().equals(RegistryPaths.TERM)) {
                guarded = true;
                term(session, one);
            }
        }
        for (Applied one : applied) {
            if (!(one.op() instanceof Op.Check)) {
                written(session, one, guarded);
            }
        }
    }

    private void term(String session, Applied one) {
        if (one.op() instanceof Op.Check check) {
            if (check.version() != term) {
                violations.add(
                        "I13",
                        process(session) + " writes in term " + check.version() + ", but " + leader + " has term "
                                + term);
            }
        } else if (one.after() != null) {
            if (one.after().version() <= term) {
                violations.add(
                        "I13", "term goes from " + term + " to " + one.after().version());
            }
            term = one.after().version();
            leader = process(session);
        }
    }

    private void written(String session, Applied one, boolean guarded) {
        String path = one.op().path();
        boolean coordinated = path.startsWith(RegistryPaths.TABLES)
                && !path.contains("/backup")
                && !RegistryPaths.isLog(path)
                && !RegistryPaths.isOutcomes(path);
        if (coordinated && !guarded) {
            violations.add("I13", process(session) + " writes " + path + " without checking the term");
        }
        if (one.op() instanceof Op.Set set
                && one.before() != null
                && set.version() != one.before().version()) {
            violations.add(
                    "I13",
                    process(session) + " replaces version " + one.before().version() + " of " + path
                            + " although it read version " + set.version());
        }
        if (one.before() != null
                && one.after() != null
                && one.before().value() instanceof TableMap before
                && one.after().value() instanceof TableMap after) {
            if (before.tableId() == after.tableId()) {
                compare(before, after);
            } else {
                replaced(before, after);
            }
        }
    }

    /** Each server that may still answer for the old number is in the fencing list of the new one. */
    private void replaced(TableMap before, TableMap after) {
        for (ActorState actor : before.actors()) {
            TreeSet<ServerId> readers = new TreeSet<>(actor.isr());
            actor.fencing().forEach(fencing -> readers.add(fencing.server()));
            ActorState now = after.find(actor.actor());
            if (now == null) { // its chunk is expired: no map of the new number has the actor, and no read asks it
                continue;
            }
            now.fencing().forEach(fencing -> readers.remove(fencing.server()));
            if (!readers.isEmpty()) {
                violations.add(
                        "I8",
                        before.name() + "/" + actor.actor() + " of number " + before.tableId() + " may be read on "
                                + readers + ", and number " + after.tableId() + " does not wait for them");
            }
        }
    }

    private void compare(TableMap before, TableMap after) {
        for (ActorState was : before.actors()) {
            ActorState is = after.find(was.actor());
            if (is != null) {
                step(before.name() + "/" + was.actor(), was, is);
            } else if (after.expiredBefore() <= before.expiredBefore()) {
                violations.add("I20", before.name() + "/" + was.actor() + " is gone, and the watermark did not rise");
            }
        }
        if (after.expiredBefore() < before.expiredBefore()) {
            violations.add(
                    "I20",
                    before.name() + ": the watermark falls from " + before.expiredBefore() + " to "
                            + after.expiredBefore());
        }
    }

    private void step(String actor, ActorState before, ActorState after) {
        if (after.epoch() < before.epoch()) {
            violations.add("I8", actor + " goes from epoch " + before.epoch() + " to " + after.epoch());
        }
        if (after.isr().isEmpty() || !after.isr().contains(after.primary())) {
            violations.add("I8", actor + " has primary " + after.primary() + " and ISR " + after.isr());
        }
        boolean moved = !before.primary().equals(after.primary())
                || !Set.copyOf(before.isr()).equals(Set.copyOf(after.isr()));
        if (moved && after.epoch() != before.epoch() + 1) {
            violations.add(
                    "I8", actor + " changes primary or ISR from epoch " + before.epoch() + " to " + after.epoch());
        }
        boolean restored = after.restoreEpoch() == after.epoch() || isTakeoverCancelled(actor, before, after);
        if (moved && !restored && !before.isr().contains(after.primary())) {
            violations.add("I8", actor + " gets primary " + after.primary() + ", which was not in ISR " + before.isr());
        }
        for (ServerId member : after.isr()) {
            if (!restored
                    && !before.isr().contains(member)
                    && !before.learners().contains(member)) {
                violations.add("I8", actor + " takes " + member + " into the ISR, which was no learner");
            }
        }
        for (ServerId member : before.isr()) {
            boolean watched = after.fencing().stream()
                    .anyMatch(fencing -> fencing.server().equals(member));
            if (!after.isr().contains(member) && !watched) {
                violations.add("I8", actor + " drops " + member + " from the ISR without fencing");
            }
        }
    }

    private boolean isTakeoverCancelled(String actor, ActorState before, ActorState after) {
        if (before.previousIsr().isr().isEmpty()
                || !after.previousIsr().isr().isEmpty()
                || after.isr().equals(before.isr())) {
            return false;
        }
        if (before.epochStarted()
                || !after.isr().equals(before.previousIsr().isr())
                || after.restoreEpoch() != before.previousIsr().restoreEpoch()) {
            violations.add("I8", actor + " takes " + after.isr() + " back, but had " + before);
        }
        return true;
    }

    private static String process(String session) {
        int hash = session.indexOf('#');
        return hash < 0 ? session : session.substring(0, hash);
    }
}
