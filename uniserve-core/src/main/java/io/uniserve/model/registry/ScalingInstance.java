package io.uniserve.model.registry;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;

/**
 * Server that the coordinator has launched, or has decided to launch.
 *
 * @param token random token of the launch; the server's id contains it, so a second launch with it makes no second server
 * @param instanceId id that the provider has given to it; empty until known
 * @param state position in its life cycle
 * @param term term of the leader that wrote the state
 * @param sinceMillis time of the state, by the wall clock of that leader
 * @param reason reason of the state, for operators
 */
public record ScalingInstance(String token, String instanceId, State state, int term, long sinceMillis, String reason) {
    private static final String ID_PREFIX = "auto-";
    private static final int TOKEN_CHARS = 32;

    public ScalingInstance {
        requireToken(token);
        reason = ScalingEvent.bounded(reason);
    }

    /**
     * Life cycle: REQUESTED → LAUNCHED → JOINED → DRAINING → TERMINATING → ENDED. REQUESTED leads to JOINED too if the server registers first.
     * REQUESTED and LAUNCHED lead to TERMINATING if the server does not join in time, or to JOINED if an actor needs it. JOINED and DRAINING
     * lead to ENDED if the provider has ended the instance. DRAINING leads back to JOINED if the removal is no longer safe or wanted.
     * TERMINATING never leads back to use. ENDED leads to TERMINATING if the provider still lists the instance.
     */
    public enum State {
        /** The launch is recorded. The provider may or may not have been called. */
        REQUESTED,
        /** The provider has confirmed the launch. */
        LAUNCHED,
        /** The server has registered. */
        JOINED,
        /** The server is drained. */
        DRAINING,
        /** The server has no replicas, or never joined. The provider may have been called to terminate it. */
        TERMINATING,
        /** The provider no longer runs it. The record stays for a while, for providers that list late. */
        ENDED
    }

    /** Id of the server with this token. */
    public static ServerId serverId(String token) {
        return new ServerId(ID_PREFIX + token);
    }

    /** True for ids of servers that an auto-scaler has launched. */
    public static boolean isServerId(ServerId id) {
        return id.value().startsWith(ID_PREFIX) && isToken(id.value().substring(ID_PREFIX.length()));
    }

    static void requireToken(String token) {
        if (!isToken(token)) {
            throw UniserveException.invalid(
                    "launch token \"" + token + "\": use " + TOKEN_CHARS + " hexadecimal digits");
        }
    }

    /** True for a text with the syntax of a token: 32 hexadecimal digits. */
    public static boolean isToken(String text) {
        return text.length() == TOKEN_CHARS && text.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f');
    }

    /** Id of the server. */
    public ServerId serverId() {
        return serverId(token);
    }

    /** The same in another state. */
    public ScalingInstance with(State next, int nextTerm, long atMillis, String why) {
        return new ScalingInstance(token, instanceId, next, nextTerm, atMillis, why);
    }

    /** The same with the provider's id. */
    public ScalingInstance withInstanceId(String id) {
        return new ScalingInstance(token, id, state, term, sinceMillis, reason);
    }

    /** True if the instance is in use, or may soon be. */
    public boolean isWanted() {
        return state == State.REQUESTED || state == State.LAUNCHED || state == State.JOINED;
    }
}
