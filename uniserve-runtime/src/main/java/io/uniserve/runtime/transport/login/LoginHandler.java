package io.uniserve.runtime.transport.login;

import io.uniserve.runtime.proto.LoginProto;

/** Handler of the two calls of a login. Called on transport threads: must not block. Thread-safe. */
public interface LoginHandler {
    /**
     * Answers the first message. Fails with UNAUTHORIZED after too many failures, with INVALID_ARGUMENT if the message is malformed.
     *
     * @param address network address of the caller
     */
    LoginProto.LoginFirstReply first(String address, LoginProto.LoginFirst call);

    /** Answers the final message. Fails with UNAUTHORIZED if user or password is wrong, and with UNAVAILABLE if the first one is unknown. */
    LoginProto.LoginFinalReply finish(String address, LoginProto.LoginFinal call);
}
