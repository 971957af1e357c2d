package io.uniserve.runtime.transport.server;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.CertificatesProto;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.SecurityProto;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Callers that each method declares, beside its definition in the {@code .proto} file. */
public final class MethodCallers {
    private static final List<FileDescriptor> FILES = List.of(
            AdminProto.getDescriptor(),
            CertificatesProto.getDescriptor(),
            DataProto.getDescriptor(),
            LoginProto.getDescriptor(),
            PeerProto.getDescriptor());

    private static final Map<String, Callers> DECLARED = declared();

    private MethodCallers() {}

    private static Map<String, Callers> declared() {
        Map<String, Callers> declared = new TreeMap<>();
        for (FileDescriptor file : FILES) {
            for (ServiceDescriptor service : file.getServices()) {
                for (MethodDescriptor method : service.getMethods()) {
                    declared.put(
                            service.getFullName() + "/" + method.getName(),
                            method.getOptions().getExtension(SecurityProto.callers));
                }
            }
        }
        return declared;
    }

    /** All methods with their callers, by full name, such as {@code uniserve.Admin/Call}. */
    public static Map<String, Callers> all() {
        return DECLARED;
    }

    /** Callers of the method; NONE for a method that declares none. */
    public static Callers of(String method) {
        return DECLARED.getOrDefault(method, Callers.NONE);
    }
}
