@org.jspecify.annotations.NullMarked
package io.uniserve.protocol.message;
